'use client';

import { copyWords, useCopy } from './use-copy.ts';

/** Shortened verbatim text; the button copies all of it, and paper shows all of it. */
export function CopyVerbatim({ text, shown, label }: { text: string; shown: string; label: string }) {
  const { answer, copy } = useCopy(text);
  return (
    <>
      <button
        type="button"
        className="link key relative min-h-6 cursor-copy text-left print:hidden"
        title={text}
        onClick={copy}
      >
        <span className="sr-only">{label} </span>
        {shown}
      </button>
      <span aria-live="polite" className="text-ink-3 print:hidden">
        {answer === 'none' ? '' : ` ${copyWords[answer]}`}
      </span>
      <span className="key hidden print:inline">{text}</span>
    </>
  );
}

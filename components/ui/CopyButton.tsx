'use client';

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';

const ANSWER_SHOWN_MS = 2_000;

type Answer = 'none' | 'copied' | 'refused';

/** Copies text and shows the result for two seconds. */
function useCopy(text: string): { answer: Answer; copy: () => Promise<void> } {
  const [answer, setAnswer] = useState<Answer>('none');
  useEffect(() => {
    if (answer === 'none') return;
    const timer = setTimeout(() => setAnswer('none'), ANSWER_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [answer]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setAnswer('copied');
    } catch {
      // Refused by the browser, or not a secure context.
      setAnswer('refused');
    }
  }
  return { answer, copy };
}

const words = { none: 'Copy', copied: 'Copied', refused: 'Not copied' } as const;
const icons = { none: Copy, copied: Check, refused: X } as const;

/** @param label what is copied, for screen readers: "Copy the request" */
export function CopyButton({ text, label, word = words.none }: { text: string; label: string; word?: string }) {
  const { answer, copy } = useCopy(text);
  const Icon = icons[answer];
  return (
    <button type="button" className="btn btn-plain btn-sm noscript:hidden print:hidden" onClick={copy}>
      <Icon className="icon" />
      <span aria-live="polite">{answer === 'none' ? word : words[answer]}</span>
      {answer === 'none' ? <span className="sr-only"> {label}</span> : null}
    </button>
  );
}

/** Shortened verbatim text; the button copies all of it, and paper shows all of it. */
export function CopyVerbatim({ text, shown, label }: { text: string; shown: string; label: string }) {
  const { answer, copy } = useCopy(text);
  return (
    <>
      <button type="button" className="link key min-h-6 cursor-copy text-left print:hidden" title={text} onClick={copy}>
        <span className="sr-only">{label} </span>
        {shown}
      </button>
      <span aria-live="polite" className="text-ink-3 print:hidden">
        {answer === 'none' ? '' : ` ${words[answer]}`}
      </span>
      <span className="key hidden print:inline">{text}</span>
    </>
  );
}

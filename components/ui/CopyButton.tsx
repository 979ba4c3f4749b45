'use client';

import { Check, Copy, X } from 'lucide-react';
import { copyWords, useCopy } from './use-copy.ts';

const icons = { none: Copy, copied: Check, refused: X } as const;

/** @param label what is copied, for screen readers: "Copy the request" */
export function CopyButton({ text, label, word = copyWords.none }: { text: string; label: string; word?: string }) {
  const { answer, copy } = useCopy(text);
  const Icon = icons[answer];
  return (
    <button type="button" className="btn btn-plain btn-sm relative noscript:hidden print:hidden" onClick={copy}>
      <Icon className="icon" />
      <span aria-live="polite">{answer === 'none' ? word : copyWords[answer]}</span>
      {answer === 'none' ? <span className="sr-only"> {label}</span> : null}
    </button>
  );
}

'use client';

import { useEffect, useState } from 'react';

const ANSWER_SHOWN_MS = 2_000;

export type Answer = 'none' | 'copied' | 'refused';

/** Copies text and shows the result for two seconds. */
export function useCopy(text: string): { answer: Answer; copy: () => Promise<void> } {
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

/** What a button that copies says, for each answer. */
export const copyWords: Readonly<Record<Answer, string>> = { none: 'Copy', copied: 'Copied', refused: 'Not copied' };

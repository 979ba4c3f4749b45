'use client';

import { useEffect, useState } from 'react';
import { useCitations } from './Citations.tsx';
import { PassageLines } from './PassageLines.tsx';
import type { PassageLine } from './passages.ts';

interface Props {
  passage: number;
  /** Answers the passage's lines. */
  address: string;
  /** The page with every passage. */
  whole: string;
}

/**
 * The text of a passage, read when the reader opens it. Without scripts, on paper and after a failure a link leads to
 * the page that has every passage.
 */
export function PassageOnDemand({ passage, address, whole }: Props) {
  const { passage: open } = useCitations();
  const isOpen = open === passage;
  const [lines, setLines] = useState<readonly PassageLine[] | null | undefined>(undefined);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    if (!isOpen || lines !== undefined) return;
    const leaving = new AbortController();
    setHasFailed(false);
    linesAt(address, leaving.signal).then(setLines, () => {
      if (!leaving.signal.aborted) setHasFailed(true);
    });
    return () => leaving.abort();
  }, [isOpen, lines, address]);
  const link = (
    <a href={`${whole}#passage-${passage}`} className="link inline-flex min-h-6 items-center">
      Show every passage
    </a>
  );
  // The region outlives its words: screen readers say what comes into it.
  return (
    <div aria-live="polite" aria-busy={isOpen && lines === undefined && !hasFailed}>
      {lines === undefined ? (
        <div className="px-4 font-sans text-ui text-ink-2">
          <p className="noscript:hidden print:hidden">
            {hasFailed ? <>The passage could not be read. {link}</> : 'Reading the passage …'}
          </p>
          <p className="hidden noscript:block print:block">This page leaves the text of this passage out. {link}</p>
        </div>
      ) : (
        <PassageLines lines={lines} />
      )}
    </div>
  );
}

async function linesAt(address: string, signal: AbortSignal): Promise<readonly PassageLine[] | null> {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  return ((await answer.json()) as { lines: readonly PassageLine[] | null }).lines;
}

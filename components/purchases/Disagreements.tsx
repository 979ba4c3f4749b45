import type { Report } from '@/server/work-check/contract.ts';
import { PassageLink } from './Citations.tsx';
import type { Disagreement } from './disagreements.ts';
import { type Passage, passageNumbers } from './passages.ts';
import { State } from './State.tsx';
import { StatementLink } from './Statements.tsx';

/** A quote with the words at issue marked. */
function Quote({ text, words }: { text: string; words: string }) {
  const at = text.indexOf(words);
  return (
    <blockquote className="border-l-2 border-line pl-3 font-mono text-dense leading-5">
      <bdi>
        {text.slice(0, at)}
        <mark className="cited">{words}</mark>
        {text.slice(at + words.length)}
      </bdi>
    </blockquote>
  );
}

interface Props {
  disagreements: readonly Disagreement[];
  statements: Report['statements'];
  passages: readonly Passage[];
  /** How many more there are than are listed. */
  more: number;
}

/** What does not agree, as pairs: the words of the work, and the words or the sum that speak against them. */
export function Disagreements({ disagreements, statements, passages, more }: Props) {
  if (disagreements.length === 0) return null;
  return (
    <section aria-labelledby="disagreements">
      <h2 id="disagreements" className="text-h2">
        What does not agree
      </h2>
      <ol className="mt-2 border-t border-ink md:mt-3">
        {disagreements.map(({ number, status, claimed, known, said, quoted, computed, source, by }) => (
          <li key={number} className="border-b border-line py-2 wrap-anywhere md:py-2.5 print:break-inside-avoid">
            <p className="text-body font-medium">
              <bdi>{claimed}</bdi>
              <span aria-hidden="true"> → </span>
              <span className="sr-only"> in the work, but </span>
              <bdi>{known}</bdi>
            </p>
            {computed === null ? null : <p className="tabular-nums">{computed}</p>}
            <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-dense text-ink-3">
              <span className={source === null ? 'max-md:hidden print:inline' : ''}>
                {passageNumbers(statements[number - 1] ?? {}, passages).map((passage) => (
                  <PassageLink
                    key={passage}
                    number={passage}
                    className="cite mr-1"
                    from={{ kind: 'statement', number }}
                  >
                    <span className="sr-only">Citation </span>[{passage}]
                  </PassageLink>
                ))}
                <bdi>{source ?? 'The work’s own words and figures'}</bdi>
              </span>
              <State kind="statement" value={status} />
              <StatementLink number={number} className="link inline-flex min-h-6 items-center text-dense">
                Statement {number}
              </StatementLink>
              {by.length === 0 ? null : (
                <span className="max-md:hidden print:inline">Decided by {by.join(' and ')}</span>
              )}
            </p>
            {said === null && quoted === null ? null : (
              <div className="mt-2 grid gap-2 max-md:hidden md:grid-cols-2 md:gap-4 print:grid">
                {said === null ? null : <Quote text={said} words={claimed} />}
                {quoted === null ? null : <Quote text={quoted} words={known} />}
              </div>
            )}
          </li>
        ))}
      </ol>
      {more > 0 ? <p className="mt-2 text-dense text-ink-3">{more} more stand in the work below.</p> : null}
    </section>
  );
}

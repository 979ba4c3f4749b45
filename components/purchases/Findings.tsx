import type { Finding } from '@/server/work-check/contract.ts';
import { PassageLink } from './Citations.tsx';
import { type Passage, passageNumbers } from './passages.ts';
import { State } from './State.tsx';
import { StatementLink } from './Statements.tsx';

/** A finding over the whole work rests on all of its statements: naming the first is enough. */
const STATEMENTS_NAMED = 8;

function RestsOn({ statements }: { statements: readonly number[] }) {
  const more = statements.length - STATEMENTS_NAMED;
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-2 text-dense text-ink-3">
      {statements.length === 1 ? 'Statement' : 'Statements'}
      {statements.slice(0, STATEMENTS_NAMED).map((index) => (
        <StatementLink key={index} number={index + 1} className="link inline-flex min-h-6 min-w-6 items-center">
          <span className="sr-only">Statement </span>
          {index + 1}
        </StatementLink>
      ))}
      {more > 0 ? `and ${more} more` : ''}
    </p>
  );
}

/** What was found for each criterion, with a mark for every passage that decided it and the statements it rests on. */
export function Findings({ findings, passages }: { findings: readonly Finding[]; passages: readonly Passage[] }) {
  return (
    <ol className="mt-4 border-t border-ink">
      {findings.map((finding, index) => {
        const number = index + 1;
        const cited = passageNumbers(finding, passages);
        return (
          <li
            key={number}
            id={`finding-${number}`}
            className="grid grid-cols-[1.5rem_1fr] gap-x-3 border-b border-line py-4 print:break-inside-avoid md:grid-cols-[1.5rem_minmax(0,1fr)_8rem_5rem] md:has-[[aria-current]]:-mx-3 md:has-[[aria-current]]:rounded-control md:has-[[aria-current]]:bg-accent-tint/50 md:has-[[aria-current]]:px-3 print:has-[[aria-current]]:bg-transparent"
          >
            <span className="font-mono text-dense leading-5 text-ink-3">{number}</span>
            <div className="min-w-0 wrap-anywhere">
              <h3 className="text-ui font-medium">
                <bdi>{finding.criterion}</bdi>
              </h3>
              <p className="mt-1 text-ink-2">
                <bdi>{finding.reason}</bdi>
              </p>
              {finding.statements?.length ? <RestsOn statements={finding.statements} /> : null}
            </div>
            <div className="col-start-2 mt-2 flex items-start justify-between gap-3 md:contents">
              <State kind="finding" value={finding.status} />
              <div className="flex flex-wrap content-start justify-end gap-y-1 md:-mr-1">
                {cited.map((passage) => (
                  <PassageLink key={passage} number={passage} className="cite" from={{ kind: 'finding', number }}>
                    <span className="sr-only">Citation </span>[{passage}]
                  </PassageLink>
                ))}
              </div>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

import type { Finding, Report } from '@/server/work-check/contract.ts';
import { PassageLink } from './Citations.tsx';
import { type Passage, passageNumbers } from './passages.ts';
import { State, StateSign } from './State.tsx';
import { StatementLink } from './Statements.tsx';
import { states } from './states.ts';

/** A finding about the whole work rests on all statements: name only some. */
const STATEMENTS_NAMED = 8;

/** Problems first. */
const order = Object.keys(states.statement);
const problemsFirst: readonly Finding['status'][] = ['contradicted', 'missing', 'partly_met', 'not_assessable', 'met'];

interface RestsOnProps {
  indexes: readonly number[];
  statements: Report['statements'];
}

/** The statements that decided a finding, with a sign on contradicted or missing ones. */
function RestsOn({ indexes, statements }: RestsOnProps) {
  const rank = (index: number) => order.indexOf(statements[index]?.status ?? '');
  const named = [...indexes].sort((a, b) => rank(a) - rank(b)).slice(0, STATEMENTS_NAMED);
  const more = indexes.length - named.length;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-dense text-ink-3">
      {indexes.length === 1 ? 'Statement' : 'Statements'}
      {named.map((index) => {
        const status = statements[index]?.status;
        return (
          <StatementLink key={index} number={index + 1} className="link inline-flex min-h-6 min-w-6 items-center gap-1">
            {status === 'contradicted' || status === 'not_found' ? <StateSign kind="statement" value={status} /> : null}
            <span className="sr-only">Statement </span>
            {index + 1}
          </StatementLink>
        );
      })}
      {more > 0 ? `and ${more} more` : ''}
    </p>
  );
}

interface Props {
  findings: readonly Finding[];
  statements: Report['statements'];
  passages: readonly Passage[];
  /** Indexes of statements whose disagreement the page has told already. */
  told: ReadonlySet<number>;
}

/** Why a finding has its status; folded where it repeats what the page has told. */
function Reason({ reason, isTold }: { reason: string; isTold: boolean }) {
  const words = (
    <p className="w-full text-ink-2">
      <bdi>{reason}</bdi>
    </p>
  );
  if (!isTold) return words;
  return (
    <details className="text-dense open:w-full">
      <summary className="min-h-6 w-fit cursor-pointer py-0.5 text-ink-3">In full</summary>
      {words}
    </details>
  );
}

/** The findings, problems first, each with marks for its passages and the statements it rests on. */
export function Findings({ findings, statements, passages, told }: Props) {
  const sorted = findings
    .map((finding, index) => ({ finding, number: index + 1 }))
    .sort((a, b) => problemsFirst.indexOf(a.finding.status) - problemsFirst.indexOf(b.finding.status));
  return (
    <ol className="mt-4 border-t border-ink">
      {sorted.map(({ finding, number }) => {
        const cited = passageNumbers(finding, passages);
        return (
          <li
            key={number}
            id={`finding-${number}`}
            className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] gap-x-3 border-b border-line py-3 print:break-inside-avoid md:grid-cols-[1.5rem_minmax(0,1fr)_8rem_5rem] md:has-[[aria-current]]:-mx-3 md:has-[[aria-current]]:rounded-control md:has-[[aria-current]]:bg-accent-tint/50 md:has-[[aria-current]]:px-3 print:has-[[aria-current]]:bg-transparent"
          >
            <span className="font-mono text-dense leading-5 text-ink-3">{number}</span>
            <div className="min-w-0 wrap-anywhere">
              <h3 className="text-ui font-medium">
                <bdi>{finding.criterion}</bdi>
              </h3>
              <div className="flex flex-wrap items-start gap-x-4">
                <Reason
                  reason={finding.reason}
                  isTold={finding.statements?.some((index) => told.has(index)) ?? false}
                />
                {finding.statements?.length ? <RestsOn indexes={finding.statements} statements={statements} /> : null}
              </div>
            </div>
            <div className="flex flex-col items-end gap-1 md:contents">
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

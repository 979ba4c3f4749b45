import { ChevronDown } from 'lucide-react';
import type { Finding, Report } from '@/server/work-check/contract.ts';
import { PassageLink } from './Citations.tsx';
import { type Passage, passageNumbers } from './passages.ts';
import { State, StateSign } from './State.tsx';
import { StatementLink } from './Statements.tsx';
import { states, tally } from './states.ts';

/** A finding about the whole work rests on all statements: name only some. */
const STATEMENTS_NAMED = 8;

/** Problems first. */
const order = Object.keys(states.statement);
const problemsFirst: readonly Finding['status'][] = ['contradicted', 'missing', 'partly_met', 'not_assessable'];

/** So few findings take no more room than a line that counts them. */
const FEW = 1;

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
    <p className="flex flex-wrap items-center gap-x-2 text-dense text-ink-3">
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

interface FindingProps extends Omit<Props, 'findings'> {
  finding: Finding;
  /** Its number in the report, from 1. */
  number: number;
}

/** A criterion and its status; the reason behind a press where it is met, or repeats what the page has told. */
function FindingRow({ finding, number, statements, passages, told }: FindingProps) {
  const isTold = repeats(finding, told);
  return (
    <li
      id={`finding-${number}`}
      className="border-b border-line md:has-[[aria-current]]:-mx-3 md:has-[[aria-current]]:rounded-control md:has-[[aria-current]]:bg-accent-tint/50 md:has-[[aria-current]]:px-3 print:break-inside-avoid print:has-[[aria-current]]:bg-transparent"
    >
      <details open={!isTold && finding.status !== 'met'} className="group">
        <summary className="grid cursor-pointer grid-cols-[1rem_minmax(0,1fr)_auto_1rem] items-start gap-x-2 py-2.5 md:grid-cols-[1.5rem_minmax(0,1fr)_8rem_1rem]">
          <span className="font-mono text-dense leading-5 text-ink-3">{number}</span>
          <h3 className="text-ui font-medium text-wrap wrap-anywhere">
            <bdi>{finding.criterion}</bdi>
          </h3>
          <State kind="finding" value={finding.status} />
          <ChevronDown className="icon mt-0.5 text-ink-3 group-open:rotate-180 print:hidden" />
        </summary>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pb-3 pl-6 wrap-anywhere md:pl-8">
          <p className="w-full text-ink-2">
            <bdi>{finding.reason}</bdi>
          </p>
          {finding.statements?.length ? <RestsOn indexes={finding.statements} statements={statements} /> : null}
          {passageNumbers(finding, passages).map((passage) => (
            <PassageLink key={passage} number={passage} className="cite" from={{ kind: 'finding', number }}>
              <span className="sr-only">Citation </span>[{passage}]
            </PassageLink>
          ))}
        </div>
      </details>
    </li>
  );
}

/** Whether a finding rests on a statement whose disagreement the page has told. */
const repeats = ({ statements = [] }: Finding, told: ReadonlySet<number>) =>
  statements.some((index) => told.has(index));

/**
 * The findings, problems first. What is met is counted in one line, and behind it; on a phone also what repeats what the
 * page has told.
 */
export function Findings({ findings, ...rest }: Props) {
  const numbered = findings.map((finding, index) => ({ finding, number: index + 1 }));
  const met = numbered.filter(({ finding }) => finding.status === 'met');
  const others = numbered
    .filter(({ finding }) => finding.status !== 'met')
    .sort((a, b) => problemsFirst.indexOf(a.finding.status) - problemsFirst.indexOf(b.finding.status));
  const again = others.filter(({ finding }) => repeats(finding, rest.told));
  const isFolded = again.length > FEW;
  const shown = [...others.filter((row) => !isFolded || !again.includes(row)), ...(met.length > FEW ? [] : met)];
  const rows = (list: typeof numbered) => list.map((row) => <FindingRow key={row.number} {...row} {...rest} />);
  return (
    <div className="mt-2 border-t border-ink md:mt-3">
      {isFolded ? (
        <details className="fold-phone">
          <summary className="min-h-6 cursor-pointer border-b border-line py-2.5">
            {again.length} {again.length === 1 ? 'rests' : 'rest'} on what is told above:{' '}
            {tally(
              'finding',
              again.map(({ finding }) => finding.status),
            )}
          </summary>
          <ol>{rows(again)}</ol>
        </details>
      ) : null}
      {shown.length > 0 ? <ol>{rows(shown)}</ol> : null}
      {met.length > FEW ? (
        <details>
          <summary className="min-h-6 cursor-pointer border-b border-line py-2.5 text-ink-2">{met.length} met</summary>
          <ol>{rows(met)}</ol>
        </details>
      ) : null}
    </div>
  );
}

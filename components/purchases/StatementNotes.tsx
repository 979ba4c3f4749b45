import { Key } from '@/components/ui/Key.tsx';
import type { Report, ReportedStatement } from '@/server/work-check/contract.ts';
import { PassageLink } from './Citations.tsx';
import { type Passage, passageNumbers } from './passages.ts';
import { State } from './State.tsx';
import { StatementNote } from './Statements.tsx';

const kinds: Record<ReportedStatement['kind'], string> = {
  sentence: 'Sentence',
  item: 'List item',
  cell: 'Table cell',
  leaf: 'Field',
};

/** Where a statement was, for a reader with a copy of the work. */
function Place({ statement: { kind, path, start = 0, end = 0 } }: { statement: ReportedStatement }) {
  return (
    <p className="text-dense text-ink-3">
      {kinds[kind]}
      {path === undefined ? `, bytes ${start.toLocaleString('en-US')} to ${end.toLocaleString('en-US')}` : ' '}
      {path === undefined ? null : <Key>{path}</Key>} of the work
    </p>
  );
}

export interface NotesProps {
  numbers: readonly number[];
  statements: Report['statements'];
  passages: readonly Passage[];
  /** The words of statements that do not stand right above their notes; of the others their place is told. */
  words?: ReadonlyMap<number, string>;
}

/** Statements with status, reason, comparison, computation and passages. */
export function Notes({ numbers, statements, passages, words }: NotesProps) {
  return (
    <ul className="font-sans text-ui">
      {numbers.map((number) => {
        const statement = statements[number - 1];
        if (statement === undefined) return null;
        const said = words?.get(number);
        return (
          <StatementNote key={number} number={number} status={statement.status}>
            <span className="font-mono text-dense leading-5 text-ink-3">
              <span className="sr-only">Statement </span>
              {number}
            </span>
            <State kind="statement" value={statement.status} />
            <Cites number={number} passages={passageNumbers(statement, passages)} />
            <div className="col-span-2 col-start-2 min-w-0 wrap-anywhere">
              {said === undefined ? null : (
                <p className="font-mono text-dense">
                  <bdi>{said}</bdi>
                </p>
              )}
              {words === undefined || said !== undefined ? null : <Place statement={statement} />}
              <p className="mt-0.5 text-ink-2">
                <bdi>{statement.why}</bdi>
              </p>
              <Comparison statement={statement} />
            </div>
          </StatementNote>
        );
      })}
    </ul>
  );
}

function Cites({ number, passages }: { number: number; passages: readonly number[] }) {
  if (passages.length === 0) return <span className="text-dense text-ink-3">No passage cited</span>;
  return (
    <div className="-mr-1 flex flex-wrap content-start justify-end">
      {passages.map((passage) => (
        <PassageLink key={passage} number={passage} className="cite" from={{ kind: 'statement', number }}>
          <span className="sr-only">Citation </span>[{passage}]
        </PassageLink>
      ))}
    </div>
  );
}

/** The words at issue side by side, and a computation that the reason does not mention. */
function Comparison({ statement: { why, compared, computed } }: { statement: ReportedStatement }) {
  const isSaid = computed === undefined || why.includes(computed) || compared?.known === computed;
  if (compared === undefined && isSaid) return null;
  return (
    <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-dense [&>dt]:text-ink-3">
      {compared === undefined ? null : (
        <>
          <dt>The work says</dt>
          <dd>
            <bdi>{compared.claimed}</bdi>
          </dd>
          <dt>Compared with</dt>
          <dd>
            <bdi>{compared.known}</bdi>
          </dd>
        </>
      )}
      {isSaid ? null : (
        <>
          <dt>Computed</dt>
          <dd className="tabular-nums">
            <bdi>{computed}</bdi>
          </dd>
        </>
      )}
    </dl>
  );
}

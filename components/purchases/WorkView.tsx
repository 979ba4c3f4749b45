import { Key } from '@/components/ui/Key.tsx';
import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Report, ReportedStatement } from '@/server/work-check/contract.ts';
import { PassageLink } from './Citations.tsx';
import { type Passage, passageNumbers } from './passages.ts';
import { State, StateSign } from './State.tsx';
import { StatementFilter, StatementMark, StatementNote } from './Statements.tsx';
import { isOnPage, pageQuery, type StatementPage, statementPage } from './statement-pages.ts';
import { stateWord, tally } from './states.ts';
import { type Block, blocksOf, onPage, type Piece, statementsWithoutPlace } from './work-text.ts';

type Statements = Report['statements'];

// Tailwind finds only complete class names.
const marks: Record<ReportedStatement['status'], string> = {
  contradicted: 'stated stated-contradicted',
  undecided: 'stated stated-open',
  not_found: 'stated stated-open',
  supported: 'stated stated-supported',
  not_checked: 'stated',
};

/** Number and status after a statement's words: a sign on problems, words for screen readers. */
function MarkLabel({ number, status }: { number: number; status: ReportedStatement['status'] }) {
  const isTelling = status === 'contradicted' || status === 'undecided' || status === 'not_found';
  return (
    <span className="stated-label">
      <span className="sr-only">
        {' '}
        (statement {number}, {stateWord('statement', status).word.toLowerCase()})
      </span>
      <span aria-hidden="true" className="inline-flex items-center gap-0.5">
        {isTelling ? <StateSign kind="statement" value={status} /> : null}
        {number}
      </span>
    </span>
  );
}

interface MarkedProps {
  pieces: readonly Piece[];
  statements: Statements;
  /** The page that a click on a statement opens, unless it is on this page. */
  page?: string;
}

function MarkedPiece({ piece, statements, page }: { piece: Piece } & Omit<MarkedProps, 'pieces'>) {
  const { text, statement: number = 0 } = piece;
  const status = statements[number - 1]?.status;
  if (status === undefined) return text;
  const label = <MarkLabel number={number} status={status} />;
  if (page === undefined)
    return <StatementMark number={number} status={status} className={marks[status]} text={text} label={label} />;
  return (
    <a href={`${page}#statement-${number}`} className={marks[status]}>
      {text}
      {label}
    </a>
  );
}

/** A stretch of the work with its statements marked. */
export function MarkedWork({ pieces, ...rest }: MarkedProps) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the work does not change
  return pieces.map((piece, index) => <MarkedPiece key={index} piece={piece} {...rest} />);
}

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

interface NotesProps {
  numbers: readonly number[];
  statements: Statements;
  passages: readonly Passage[];
  /** Whether the statements are not shown above. */
  placed: boolean;
  /** Indexes of statements whose disagreement the page has told already. */
  told: ReadonlySet<number>;
}

/** Statuses that ask nothing of the reader. */
const isSettled = (status: ReportedStatement['status']) => status === 'supported' || status === 'not_checked';

/** Why a statement has its status; folded where it asks for nothing, or repeats what the page has told. */
function Why({ statement, isTold }: { statement: ReportedStatement; isTold: boolean }) {
  const words = (
    <>
      <p className="mt-0.5 text-ink-2">
        <bdi>{statement.why}</bdi>
      </p>
      {isTold ? null : <Comparison statement={statement} />}
    </>
  );
  if (!isTold && !isSettled(statement.status)) return <div className="col-start-2 min-w-0 wrap-anywhere">{words}</div>;
  return (
    <details className="col-span-2 col-start-2 min-w-0 text-dense wrap-anywhere">
      <summary className="min-h-6 w-fit cursor-pointer py-0.5 text-ink-3">In full</summary>
      {words}
    </details>
  );
}

/** Statements with status, reason, comparison, computation and passages. */
function Notes({ numbers, statements, passages, placed, told }: NotesProps) {
  return (
    <ul className="font-sans text-ui">
      {numbers.map((number) => {
        const statement = statements[number - 1];
        if (statement === undefined) return null;
        return (
          <StatementNote key={number} number={number} status={statement.status}>
            <span className="font-mono text-dense leading-5 text-ink-3">
              <span className="sr-only">Statement </span>
              {number}
            </span>
            <div className="min-w-0 wrap-anywhere">
              <State kind="statement" value={statement.status} />
              {placed ? null : <Place statement={statement} />}
            </div>
            <Cites number={number} passages={passageNumbers(statement, passages)} />
            <Why statement={statement} isTold={told.has(number - 1)} />
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

function Filter({ statements }: { statements: Statements }) {
  const count = (status: ReportedStatement['status']) =>
    statements.filter((statement) => statement.status === status).length;
  return (
    <StatementFilter
      options={[
        { shown: 'contradicted', word: stateWord('statement', 'contradicted').word, count: count('contradicted') },
        { shown: 'not_found', word: stateWord('statement', 'not_found').word, count: count('not_found') },
        { shown: 'all', word: 'All', count: statements.length },
      ]}
    />
  );
}

function WorkBlock({ block, ...rest }: { block: Block } & Omit<NotesProps, 'numbers' | 'placed'>) {
  return (
    <>
      <p
        dir="auto"
        data-work=""
        className={`bg-sunken px-4 py-2 font-mono text-dense leading-6 [unicode-bidi:isolate] ${block.isTable ? 'overflow-x-auto whitespace-pre' : 'wrap-anywhere whitespace-pre-wrap'}`}
      >
        <MarkedWork pieces={block.pieces} statements={rest.statements} />
      </p>
      {block.statements.length > 0 ? <Notes {...rest} numbers={block.statements} placed /> : null}
    </>
  );
}

interface Props {
  statements: Statements;
  passages: readonly Passage[];
  /** The submitted work, JSON as a value; null once deleted. */
  work: JsonValue;
  /** Its first page where there is none. */
  page?: StatementPage;
  /** Indexes of statements whose disagreement the page has told already. */
  told?: ReadonlySet<number>;
}

const nothingTold: ReadonlySet<number> = new Set();

/** Leads to the pages of a long report. Every page names its statements. */
function Pages({ page, count }: { page: StatementPage; count: number }) {
  if (count <= page.size) return null;
  const starts = Array.from({ length: Math.ceil(count / page.size) }, (_, index) => index * page.size + 1);
  return (
    <nav aria-label="Statements" className="mt-3 flex flex-wrap gap-2 print:hidden">
      {starts.map((start) => (
        <a
          key={start}
          href={`${pageQuery(start, page)}#work`}
          className="btn btn-sm tabular-nums aria-[current]:border-action aria-[current]:bg-action aria-[current]:text-on-action"
          aria-current={start === page.first ? 'page' : undefined}
        >
          {start} to {Math.min(count, start + page.size - 1)}
        </a>
      ))}
    </nav>
  );
}

/** The work with its statements marked, and their results below each line. */
export function WorkView({
  statements,
  passages,
  work,
  page = statementPage(1, statements.length),
  told = nothingTold,
}: Props) {
  const all = blocksOf(work, statements);
  const blocks = onPage(all, page);
  const elsewhere = statementsWithoutPlace(statements.length, all).filter((number) => isOnPage(number, page));
  const statuses = statements.map(({ status }) => status);
  return (
    <section aria-labelledby="work">
      <h2 id="work" className="text-h2">
        The work, statement by statement
      </h2>
      <p className="mt-1 text-ink-2">
        {statements.length === 0 ? 'The report lists no statement of the work.' : `${tally('statement', statuses)}.`}
        {work !== null && statements.length > 0 ? ' Words without a mark are not statements.' : ''}
        {work === null ? ' The text of the work is no longer kept; this is what the report still has.' : ''}
      </p>
      {statements.length > 0 ? (
        <div className="mt-3">
          <Filter statements={statements.slice(page.first - 1, page.last)} />
        </div>
      ) : null}
      <Pages page={page} count={statements.length} />
      {blocks.length + elsewhere.length > 0 ? (
        <div className="panel mt-3 overflow-hidden [&>ul:first-child>li:first-child]:border-t-0">
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the work does not change
            <WorkBlock key={index} block={block} statements={statements} passages={passages} told={told} />
          ))}
          {elsewhere.length > 0 ? (
            <Notes numbers={elsewhere} statements={statements} passages={passages} placed={false} told={told} />
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

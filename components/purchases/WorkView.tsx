import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Report, ReportedStatement } from '@/server/work-check/contract.ts';
import type { Passage } from './passages.ts';
import { StateSign } from './State.tsx';
import { Notes, type NotesProps } from './StatementNotes.tsx';
import { StatementFilter, StatementFold, StatementMark } from './Statements.tsx';
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

/** Statuses that ask nothing of the reader. */
const isSettled = (status: ReportedStatement['status']) => status === 'supported' || status === 'not_checked';

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

function WorkBlock({ block, ...rest }: { block: Block } & NotesProps) {
  return (
    <>
      <p
        dir="auto"
        data-work=""
        // Positioned: what is only for screen readers stays inside, and does not widen the page.
        className={`relative bg-sunken px-4 py-2 font-mono text-dense leading-6 [unicode-bidi:isolate] ${block.isTable ? 'overflow-x-auto whitespace-pre' : 'wrap-anywhere whitespace-pre-wrap'}`}
      >
        <MarkedWork pieces={block.pieces} statements={rest.statements} />
      </p>
      {rest.numbers.length > 0 ? <Notes {...rest} /> : null}
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

/** How the fold of statements is called: what those came to that do not stand above. */
function foldText(numbers: readonly number[], statements: Statements, told: ReadonlySet<number>): string {
  const untold = numbers.filter((number) => !told.has(number - 1));
  const statuses = untold.flatMap((number) => statements[number - 1]?.status ?? []);
  const count = `${numbers.length} ${numbers.length === 1 ? 'statement' : 'statements'} in full`;
  const parts = [
    ...(untold.length === 0 ? [] : [tally('statement', statuses)]),
    ...(untold.length === numbers.length ? [] : [`${numbers.length - untold.length} told above`]),
  ];
  return `${count}: ${parts.join('; ')}`;
}

/**
 * The work with its statements marked. What a statement came to stands below its line where it asks something of the
 * reader that the page has not told, and else in a fold at the end.
 */
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
  const words = wordsOf(all);
  const isOpen = (number: number) => !told.has(number - 1) && !isSettled(statements[number - 1]?.status ?? 'undecided');
  const placed = blocks.flatMap((block) => block.statements);
  const folded = [...placed, ...elsewhere].filter((number) => !isOpen(number)).sort((a, b) => a - b);
  const rest = { statements, passages };
  const statuses = statements.map(({ status }) => status);
  return (
    <section aria-labelledby="work">
      <h2 id="work" className="text-h2">
        The work
      </h2>
      <p className="mt-1 text-ink-2">
        {statements.length === 0 ? 'The report lists no statement of the work.' : ''}
        {statements.length > 0 && told.size === 0 ? `${tally('statement', statuses)}.` : ''}
        {work !== null && statements.length > 0 ? (
          <span className="max-md:hidden"> Words without a mark are not statements.</span>
        ) : null}
        {work === null ? ' The text of the work is no longer kept; this is what the report still has.' : ''}
      </p>
      {statements.length > 0 ? (
        <div className="mt-3 max-md:hidden">
          <Filter statements={statements.slice(page.first - 1, page.last)} />
        </div>
      ) : null}
      <Pages page={page} count={statements.length} />
      {blocks.length + elsewhere.length > 0 ? (
        <div className="panel mt-3 overflow-hidden">
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the work does not change
            <WorkBlock key={index} {...rest} block={block} numbers={block.statements.filter(isOpen)} />
          ))}
          <Notes {...rest} numbers={elsewhere.filter(isOpen)} words={words} />
          {folded.length > 0 ? (
            <StatementFold summary={foldText(folded, statements, told)}>
              <Notes {...rest} numbers={folded} words={words} />
            </StatementFold>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

/** The words of each statement that has a place in the work, by number. */
function wordsOf(blocks: readonly Block[]): Map<number, string> {
  const words = new Map<number, string>();
  for (const { text, statement } of blocks.flatMap(({ pieces }) => pieces))
    if (statement !== undefined) words.set(statement, (words.get(statement) ?? '') + text);
  return words;
}

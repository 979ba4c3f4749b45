import { languageOf } from '../../criteria/language.ts';
import { weekdayOf } from '../../reading/calendar-words.ts';
import { compareQuantities } from '../../reading/compare-quantities.ts';
import { readQuantities } from '../../reading/quantities.ts';
import type { Quantity } from '../../reading/quantity.ts';
import type { Token } from '../../reading/token.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { Statement } from '../../statements.ts';
import { entryOf } from '../../support/lexicon.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import { cellsApart, cellsOf, findFigure } from './quotes.ts';
import { asDigits, isForeign, isNamed, isWritten, otherwiseIn, type Written } from './written.ts';

type Read = Written & { names: Set<string>; lowers: Set<string> };

/**
 * Whether every figure, date and name of a statement stands in the quoted passages, in whatever form, or follows from
 * them: two readings are asked for then. And whether one passage that names nobody else holds them all as they are
 * written, its names in the statement's order: one reading is enough then. `telling` where a figure is such that it hardly
 * stands there by chance; `unproven` are the words that do not. Titles of sources and the request may give a
 * name or a period, and titles that a reader quotes a figure.
 */
export function typedIn(
  statement: Statement,
  {
    quoted,
    titles,
    derived,
  }: { quoted: readonly Passage[]; titles: readonly string[]; derived: readonly { claimed: string }[] },
  task: AssessmentTask,
): { typed: boolean; paired: boolean; telling: boolean; unproven: string[] } {
  const near = [...quoted.map((passage) => aroundOf(passage, task)), ...titles].map((text) => readOf(asDigits(text)));
  const read = quoted.map((passage) => readOf(cellsOf(passage, task)));
  const sources = sourcesOf(task);
  const beside = tokenize(
    `${task.evidence.sources.map(({ source, observed_at }) => `${source} ${observed_at ?? ''}`).join(' ; ')} ; ${task.request}`,
  );
  const [about, periods] = [
    new Set(beside.map(({ stem }) => stem)),
    readQuantities(beside).filter(({ kind }) => kind === 'date'),
  ];
  const names = namesIn(statement.tokens, opens(statement));
  const own = new Set(names.map(({ stem }) => stem));
  const from = statement.record === undefined ? 0 : statement.text.length - statement.record.value.length;
  const currencies = new Set(
    near.flatMap(({ quantities }) => quantities.map(({ kind, unit }) => kind === 'money' && unit)),
  );
  const isKnown = ({ lower, ...token }: Token): boolean =>
    about.has(token.stem) || currencies.has(lower) || sources.some((one) => isNamed({ lower, ...token }, one));
  const isGenitive = ({ lower, capital }: Token): boolean =>
    capital && /\p{L}{2}s$/u.test(lower) && sources.some(({ lowers }) => lowers.has(lower.slice(0, -1)));
  const isNoun = isGerman(task.work) ? nounsIn(statement.tokens, isGenitive) : new Set<Token>();
  // Rows and columns have the work's own titles.
  const unnamed = names.filter((token) => token.start >= from && !isNoun.has(token) && !isKnown(token));
  const named = unnamed.length === 0;
  const joined = ({ names: theirs }: Read): boolean =>
    theirs.size === 0 || own.size === 0 || [...theirs].some((stem) => own.has(stem) || about.has(stem));
  const stands = (figure: Quantity): boolean =>
    near.some((one) => readingsOf(figure, statement, task).some((reading) => isWritten(reading, one))) ||
    isDerived(figure, statement, derived) ||
    (figure.kind === 'date' && periods.some((known) => compareQuantities(figure, known) === 'same')) ||
    isSmallWord(figure, statement) ||
    isBase(figure, statement) ||
    isMonth(figure, sources) ||
    isYearMonth(figure, statement, near) ||
    isOfPeriod(figure, statement, task);
  const figures = statement.quantities.filter(({ start }) => start >= from);
  const open = figures.filter((figure) => !stands(figure));
  const typed = named && open.length === 0 && (figures.length > 0 || names.length > 0);
  const free = figures.filter((figure) => !isDerived(figure, statement, derived) && !isSmallWord(figure, statement));
  const paired = read.some(
    (one) => joined(one) && free.every((figure) => holdsFigure(one, figure)) && isInOrder(names, one.tokens),
  );
  // Without figures and names only two readings together pair its words.
  return {
    typed: typed || (named && figures.length === 0 && names.length === 0),
    paired: typed && paired,
    telling: typed && figures.some(tellsApart),
    unproven: [...unnamed, ...open].map(({ start, end }) => statement.text.slice(start, end)),
  };
}

/** A figure as English writes it, and in a work of another language as that does: "1.200". */
function readingsOf(figure: Quantity, { text }: Statement, { work }: AssessmentTask): Quantity[] {
  const value = isForeign(work) ? otherwiseIn(text.slice(figure.start, figure.end), true) : undefined;
  return value === undefined ? [figure] : [figure, { ...figure, value }];
}

const TELLING_MIN = 100;

/** A day, a time, or a number of three digits. */
const tellsApart = ({ kind, value, month }: Quantity): boolean =>
  kind === 'date' ? month !== undefined : kind === 'time' || value >= TELLING_MIN;

const sourcesRead = new WeakMap<AssessmentTask['evidence'], Read[]>();

/** The sources as they are read: once for all statements of a check. */
function sourcesOf({ evidence }: AssessmentTask): Read[] {
  // "net_gbp" names two things.
  const known =
    sourcesRead.get(evidence) ?? evidence.sources.map(({ text }) => readOf(asDigits(text).replaceAll('_', ' ')));
  sourcesRead.set(evidence, known);
  return known;
}

function readOf(text: string): Read {
  const tokens = tokenize(text);
  const names = namesIn(tokens, true).map(({ stem }) => stem);
  return {
    text,
    tokens,
    stems: new Set(tokens.map(({ stem }) => stem)),
    lowers: new Set(tokens.map(({ lower }) => lower)),
    quantities: readQuantities(tokens),
    names: new Set(names),
  };
}

/** Whether the first word of a statement has its capital from where it stands: of a sentence, or a phrase in a field. */
function opens({ record }: Statement): boolean {
  const [, second = '', ...more] = record?.value.trim().split(/\s+/) ?? [];
  return record === undefined || more.length >= SENTENCE_MORE_MIN || /^\p{Ll}/u.test(second);
}

/** Words of a field behind its second that make it a sentence. */
const SENTENCE_MORE_MIN = 3;

/** A passage with the two before it and the one behind: the number of its clause, its heading, who speaks. */
function aroundOf({ ref, start, end }: Passage, task: AssessmentTask): string {
  const { evidence } = task;
  const source = evidence.sources.findIndex((one) => one.ref === ref);
  const own = evidence.passages.filter((passage) => passage.source === source && !passage.instruction);
  const first = own.findIndex((passage) => passage.end > start);
  const last = own.findLastIndex((passage) => passage.start < end);
  const [from, to] = [own[Math.max(0, first - BEFORE)]?.start ?? start, own[last + 1]?.end ?? end];
  const given = evidence.sources[source];
  return given === undefined ? '' : cellsApart(given, task).slice(from, to);
}

const BEFORE = 2;

/** Whether a passage gives a figure as the statement does; the year may be left out where the evidence leaves it out, too. */
const holdsFigure = ({ quantities }: Read, figure: Quantity): boolean =>
  quantities.some((known) => compareQuantities(figure, known) === 'same' || isSameDay(figure, known));

const isSameDay = (figure: Quantity, known: Quantity): boolean =>
  figure.kind === 'date' &&
  known.kind === 'date' &&
  known.year === undefined &&
  figure.day !== undefined &&
  figure.day === known.day &&
  figure.month === known.month;

/** "Ms Wieland" is the Wieland of the evidence. */
const HONORIFICS = new Set(['mr', 'mrs', 'ms', 'miss']);

/** "Nurse Lindqvist", "item: Cutting machine": a word with a capital from its place may be told in another word. */
const isCommon = (token: Token): boolean => entryOf(token).broader.length > 0;

const MONTH = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*$/;

const german = new WeakMap<AssessmentTask['work'], boolean>();

/** Every noun of German has a capital; told once for each work. */
function isGerman(work: AssessmentTask['work']): boolean {
  const language = german.has(work) ? undefined : languageOf(work);
  if (language !== undefined) german.set(work, 'code' in language && language.code === 'deu');
  return german.get(work) === true;
}

/** What a name follows in German: "Herrn Ohlendorf", "Dr. Klee". */
const TITLE = /^(?:herrn?|frau|familie|dr|prof|firma)$/;

/**
 * The words of a German text that have a capital and are no names: those that no title announces and no other name stands
 * beside ("Jens Ohlendorf"; of "Maras Wunsch" the first is a name in the genitive). A single name that no source knows
 * passes as a noun; two readings must have borne it out.
 */
const nounsIn = (tokens: readonly Token[], isGenitive: (token: Token) => boolean): Set<Token> => {
  // What opens a sentence has its capital from there.
  const isBeside = (at: number): boolean => {
    const [before, token] = [tokens[at - 1], tokens[at]];
    const isName = token?.capital === true && before !== undefined && !OPENS_SENTENCE.has(before.lower);
    return isName && !POLITE.test(token.lower) && !isGenitive(token);
  };
  const isTitled = (at: number): boolean =>
    TITLE.test(tokens[at - 1]?.lower ?? '') ||
    (tokens[at - 1]?.lower === '.' && TITLE.test(tokens[at - 2]?.lower ?? ''));
  return new Set(
    tokens.filter(
      (token, at) =>
        POLITE.test(token.lower) ||
        TITLE.test(token.lower) ||
        isGenitive(token) ||
        (token.kind === 'word' && !isTitled(at) && !isBeside(at - 1) && !isBeside(at + 1)),
    ),
  );
};

/** "You" and "your" in letters. */
const POLITE = /^(?:sie|ihnen|ihr(?:e[nmrs]?)?)$/;

/** What a sentence follows, also as the value of a field ("reason: Gearbox failure …"). */
const OPENS_SENTENCE = new Set(['.', ':']);

const namesIn = (tokens: readonly Token[], opens: boolean): Token[] =>
  tokens.filter(
    (token, at) =>
      token.capital &&
      token.content &&
      token.kind === 'word' &&
      !MONTH.test(token.lower) &&
      weekdayOf(token.lower) === undefined &&
      !HONORIFICS.has(token.lower) &&
      !(isCommon(token) && (tokens[at + 1]?.capital === true || tokens[at - 1]?.lower === ':')) &&
      (!opens || (at > 0 && !OPENS_SENTENCE.has(tokens[at - 1]?.lower ?? ''))),
  );

/** Whether the names of a statement that a passage holds stand there in the same order. */
function isInOrder(names: readonly Token[], tokens: readonly Token[]): boolean {
  const places = names.flatMap(({ stem }) => {
    const at = tokens.findIndex((token) => token.stem === stem);
    return at === -1 ? [] : [at];
  });
  return places.every((place, at) => place >= (places[at - 1] ?? 0));
}

/** Whether a derivation is for a figure: where it is claimed, and where the statement says the same again. */
const isDerived = (figure: Quantity, { text }: Statement, derived: readonly { claimed: string }[]): boolean =>
  derived.some(({ claimed }) => {
    const span = findFigure(claimed, text);
    const isAgain = text.slice(figure.start, figure.end) === claimed.trim();
    return isAgain || (span !== undefined && span.start < figure.end && span.end > figure.start);
  });

/** The 100 of "1.25 per 100 captions"; and 0, which stands for what is not there. */
const isBase = ({ kind, value, start }: Quantity, { text }: Statement): boolean =>
  (kind === 'number' && value === 0) ||
  ([100, 1000].includes(value) && /\b(?:per|in|of|each)\s+$/i.test(text.slice(0, start)));

/** The 24 of "2023-24", where a title or the request says "2023-24". */
function isOfPeriod({ start, end }: Quantity, { text }: Statement, { evidence, request }: AssessmentTask): boolean {
  const period = [...text.matchAll(/(?<!\d)(?:19|20)\d\d[-–/]\d\d(?!\d)/g)].find(
    (found) => found.index <= start && end <= found.index + found[0].length,
  )?.[0];
  return (
    period !== undefined &&
    [request, ...evidence.sources.map(({ source }) => source)].some((one) => one.includes(period))
  );
}

/** "From January to June": a month without a day, where some source gives a day in it. */
const isMonth = ({ kind, day, month }: Quantity, sources: readonly Read[]): boolean =>
  kind === 'date' &&
  day === undefined &&
  month !== undefined &&
  sources.some(({ quantities }) => quantities.some((known) => known.month === month));

/** The parts of "2025-09", where a quoted passage gives September 2025 or a day in it. */
function isYearMonth({ start, end }: Quantity, { text, record }: Statement, near: readonly Read[]): boolean {
  const value = record?.value.trim() ?? '';
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(value) ?? [];
  if (month === undefined || start < text.lastIndexOf(value) || end > text.length) return false;
  const isIn = (known: Quantity): boolean => known.year === Number(year) && known.month === Number(month);
  return near.some(({ quantities }) => quantities.some(isIn));
}

const SMALL_WORD_MAX = 5;

/** "In these two cases": a small number in words counts what the sentence itself names. */
const isSmallWord = ({ kind, value, start, end }: Quantity, { text }: Statement): boolean =>
  kind === 'number' && value <= SMALL_WORD_MAX && /^\p{L}+$/u.test(text.slice(start, end));

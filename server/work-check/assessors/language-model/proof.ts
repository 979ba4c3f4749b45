import type { Opinion } from '../../kernel/decide.ts';
import { printed } from '../../kernel/told.ts';
import { clip } from '../../quoting.ts';
import { readQuantities } from '../../reading/quantities.ts';
import type { Token } from '../../reading/token.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { Statement } from '../../statements.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import { type Derived, derive, derivedOf, faultsOf, type Results } from './derivations.ts';
import { type Material, REQUEST_ID } from './material.ts';
import type { StatementAnswer } from './prompt.ts';
import { findQuote, plainText, textOf } from './quotes.ts';
import { typedIn } from './typed.ts';
import { isForeign } from './written.ts';

/** What is left of a model's answer once its quotes were looked up and the kernel has checked their typed parts. */
export type StatementOpinion = {
  status: StatementAnswer['status'];
  sure: boolean;
  /** As they are cited: cut by us, from the passages that the model named. */
  passages: Passage[];
  compared?: { claimed: string; known: string };
  /** What its derivations come to, as a report prints it. */
  computed?: string;
  reason: string;
  /** What its quotes and derivations leave unproven, for the next reading. */
  unproven: string[];
  /** What it counts for when the table decides; nothing where its proof fails. */
  counts: Pick<Opinion, 'says' | 'typed' | 'paired'> | undefined;
};

type Quoted = {
  cut: Passage[];
  whole: Passage[];
  /** Titles of sources, and the request, which may name a subject or a period. */
  titles: string[];
  /** Where the sources begin whose titles were quoted. */
  titled: Passage[];
  invented: number;
};

const QUOTES_MAX = 12;
/** So many operands may prove other figures, too: with all of the evidence any figure would stand. */
const OPERANDS_QUOTED_MAX = 24;
/** Fewer characters than this say little by themselves: the whole passage is quoted then. */
const QUOTE_CHARS_MIN = 20;
/** Of a passage copied badly, this share of the words must stand in it. */
const COPIED_SHARE = 0.8;

type About = { task: AssessmentTask; material: Material };

/** The passages that an answer quotes, found where they stand; quotes that stand nowhere are counted. */
export function findQuoted(quotes: StatementAnswer['quotes'], { task, material }: About): Quoted {
  const found: Quoted = { cut: [], whole: [], titles: [], titled: [], invented: 0 };
  for (const { passage, words } of quotes.slice(0, QUOTES_MAX)) {
    const title = material.titles.get(passage.trim());
    if (title !== undefined && (words.trim() === '' || findQuote(words, title) !== undefined)) {
      if (passage.trim() === REQUEST_ID) continue;
      found.titles.push(title);
      found.titled.push(...openingOf(title, task));
      continue;
    }
    const whole = material.passages.get(passage.trim());
    const cut = whole === undefined ? undefined : cutOf(words, whole, task);
    if (whole === undefined || cut === undefined) found.invented += 1;
    else if (!found.whole.includes(whole)) {
      found.cut.push(cut);
      found.whole.push(whole);
    }
  }
  return found;
}

/** The first passage of the source with a title. */
function openingOf(title: string, { evidence: { sources, passages } }: AssessmentTask): Passage[] {
  const source = sources.findIndex((one) => one.source === title);
  const ref = sources[source]?.ref;
  const first = passages.find((one) => one.source === source);
  return ref === undefined || first === undefined ? [] : [{ ref, start: first.start, end: first.end }];
}

function cutOf(words: string, whole: Passage, task: AssessmentTask): Passage | undefined {
  const text = textOf(whole, task);
  if (!tokenize(text).some(({ content }) => content)) return undefined;
  if (words.trim() === '') return whole;
  const span = findQuote(words, text);
  if (span === undefined) return isBadCopy(words, text) ? whole : undefined;
  if (span.end - span.start < QUOTE_CHARS_MIN) return whole;
  return { ref: whole.ref, start: whole.start + span.start, end: whole.start + span.end };
}

function isBadCopy(words: string, text: string): boolean {
  const held = new Set(tokenize(text).map(({ stem }) => stem));
  const copied = tokenize(words).filter(({ content }) => content);
  const share = copied.filter(({ stem }) => held.has(stem)).length / Math.max(1, copied.length);
  return share >= COPIED_SHARE && copied.every(({ kind, stem }) => kind !== 'number' || held.has(stem));
}

/** What a model's answer about a statement is worth: quotes that stand in the evidence, derivations that come out. */
export function proveStatement(
  answer: StatementAnswer,
  statement: Statement,
  about: About,
  results: Results = derive([{ given: answer, text: statement.text }], about),
): StatementOpinion {
  const { status, sure, reason } = answer;
  const { cut, whole, titles, titled } = findQuoted(answer.quotes, about);
  const derived = derivedOf(answer, results);
  const passagesQuoted = [...whole, ...derived.flatMap(({ operands }) => operands).slice(0, OPERANDS_QUOTED_MAX)];
  // "Invoice DN-88034" may stand in a title alone: its source is cited from the beginning.
  const quoted = passagesQuoted.length > 0 ? passagesQuoted : titled;
  const passages = closestFirst(cut.length > 0 ? cut : quoted.slice(0, QUOTES_MAX), statement, about.task);
  const opinion: StatementOpinion = {
    status,
    sure,
    reason,
    passages,
    unproven: status === 'supported' ? faultsOf(answer, results) : [],
    counts: undefined,
  };
  if (status === 'not_found' || status === 'no_claim' || quoted.length === 0) return opinion;
  if (status === 'supported') {
    const held = derived.filter(({ holds }) => holds);
    const { unproven, ...support } = supportOf(statement, { quoted, titles, held }, about);
    return { ...opinion, ...support, unproven: unproven.length > 0 ? [...unproven, ...opinion.unproven] : [] };
  }
  const compared =
    comparedOf(answer, statement.text, { cut, whole }, about.task) ?? computedOtherwise(answer, statement, derived);
  if (compared === undefined) return { ...opinion, counts: { says: 'speaks' } };
  const computed = derived.find(({ holds, claimed }) => !holds && claimed.trim() !== '')?.says;
  return { ...opinion, compared, ...(computed === undefined ? {} : { computed }), counts: { says: 'contradicts' } };
}

/** What a reading is worth that bears a statement out; nothing where what it quotes speaks of something else. */
function supportOf(
  statement: Statement,
  { quoted, titles, held }: { quoted: readonly Passage[]; titles: readonly string[]; held: readonly Derived[] },
  { task }: About,
): Pick<StatementOpinion, 'counts' | 'unproven'> & Partial<Pick<StatementOpinion, 'computed'>> {
  const texts = quoted.map((one) => textOf(one, task));
  const isTold = isAbout(statement, [...texts, ...titles], task);
  const { typed, paired, telling, unproven } = typedIn(statement, { quoted, titles, derived: held }, task);
  if (held.length === 0 && !isTold && !telling && !isToldOtherwise(statement, texts, task))
    return { counts: undefined, unproven: [] };
  // A figure that was worked out takes two readings: of hundreds of figures any number can be derived.
  const isRead = held.length === 0 && isTold;
  const computed = held.map(({ says }) => says).join('; ');
  return {
    ...(computed === '' ? {} : { computed }),
    unproven,
    counts: { says: 'supports', ...(typed ? { typed } : {}), ...(typed && paired && isRead ? { paired } : {}) },
  };
}

/** "506,850" where the rows come to 506,580: a calculation that says otherwise. */
function computedOtherwise(
  { claimed }: Pick<StatementAnswer, 'claimed'>,
  statement: Statement,
  derived: readonly Derived[],
): StatementOpinion['compared'] {
  const wrong = derived.find(
    (one) =>
      !one.holds &&
      one.claimed.trim() !== '' &&
      (claimed.trim() === '' ||
        plainText(one.claimed).includes(plainText(claimed)) ||
        plainText(claimed).includes(plainText(one.claimed))),
  );
  if (wrong === undefined || findQuote(wrong.claimed, statement.text) === undefined) return undefined;
  return { claimed: clip(wrong.claimed), known: printed(wrong.result) };
}

/** The words on both sides that a contradiction names, as they stand there; undefined when one of them does not. */
export function comparedOf(
  { claimed, known, status }: { claimed: string; known: string; status: string },
  statement: string,
  { cut, whole }: Pick<Quoted, 'cut' | 'whole'>,
  task: AssessmentTask,
): StatementOpinion['compared'] {
  const ours = findQuote(claimed, statement);
  if (ours === undefined || plainText(claimed) === plainText(known)) return undefined;
  if (known.trim() === '') {
    const [shown] = cut;
    if (status !== 'changed' || shown === undefined) return undefined;
    return { claimed: clip(statement.slice(ours.start, ours.end)), known: clip(textOf(shown, task)) };
  }
  for (const passage of [...cut, ...whole]) {
    const text = textOf(passage, task);
    if (plainText(text).includes(plainText(statement))) return undefined;
    const theirs = findQuote(known, text);
    if (theirs !== undefined)
      return {
        claimed: clip(statement.slice(ours.start, ours.end)),
        known: clip(text.slice(theirs.start, theirs.end)),
      };
  }
  return undefined;
}

/** The passage that holds most of a statement's words is the one that a report quotes. */
function closestFirst(passages: readonly Passage[], { tokens }: Statement, task: AssessmentTask): Passage[] {
  const own = new Set(tokens.flatMap(({ content, stem }) => (content ? [stem] : [])));
  const shared = (passage: Passage): number =>
    new Set(tokenize(textOf(passage, task)).flatMap(({ stem }) => (own.has(stem) ? [stem] : []))).size;
  return [...passages].sort((a, b) => shared(b) - shared(a));
}

/** What another language tells, or what is denied ("Nobody was injured"), may share no word with what shows it. */
const isToldOtherwise = ({ text }: Statement, quoted: readonly string[], { evidence }: AssessmentTask): boolean =>
  DENIED.test(text) || evidence.sources.some(isForeign) || quoted.some((one) => isForeign({ text: one }));

const DENIED = /\b(?:no|not|none|nobody|nothing|never|neither|without)\b/i;

/** What speaks of something told before. */
const REFERS =
  /(?<!\p{L})(?:this|that|these|those|it|its|they|them|their|he|she|his|her|both|either|neither|such|dies\p{L}*|es|sie|ihr\p{L}*|beide\p{L}*|cela|ces?|cette|ils?|elles?|leurs?|est[aeo]s?|ell[ao]s?|sus?|quest[aeio]|dit|deze|dat|die|het|ze)(?!\p{L})/iu;

/** Whether quotes share a word with a statement, the record and path that its field belongs to, or the sentence that it refers to or opens. */
function isAbout(statement: Statement, quoted: readonly string[], { work }: AssessmentTask): boolean {
  const { tokens, record, text, under } = statement;
  const held = new Set(quoted.flatMap((one) => stemsIn(tokenize(one))));
  const at = work.statements.indexOf(statement);
  const before = REFERS.test(text) ? (work.statements[at - 1]?.tokens ?? []) : [];
  // "The cost is settled." opens what the next sentence tells.
  const isOpening = tokens.filter(({ content }) => content).length <= OPENING_WORDS_MAX;
  const after = isOpening ? (work.statements[at + 1]?.tokens ?? []) : [];
  const beside = record === undefined ? [] : tokenize([record.identity ?? '', ...record.keys, under].join(' ; '));
  return [...tokens, ...beside, ...before, ...after].some(({ content, stem }) => content && held.has(stem));
}

const OPENING_WORDS_MAX = 3;

/** The stems of a text, and the codes of its currencies: GBP of "£1,860". */
const stemsIn = (tokens: readonly Token[]): string[] => [
  ...tokens.map(({ stem }) => stem),
  ...readQuantities(tokens).flatMap(({ kind, unit }) => (kind === 'money' ? [unit.toLowerCase()] : [])),
];

import { judgeStatements } from '../../judge/judge-statements.ts';
import { clip } from '../../quoting.ts';
import { evidenceSource, indexEvidence } from '../../reading/evidence-index.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { Statement } from '../../statements.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import type { Material } from './material.ts';
import type { StatementAnswer } from './prompt.ts';
import { findQuote, plainText } from './quotes.ts';

/** What is left of a model's answer once its quotes were looked up and the rules have read them. */
export type StatementOpinion = {
  status: StatementAnswer['status'];
  sure: boolean;
  /** As they are cited: cut by us, from the passages that the model named. */
  passages: Passage[];
  compared?: { claimed: string; known: string };
  reason: string;
};

type Quoted = { cut: Passage[]; whole: Passage[]; invented: number };

const QUOTES_MAX = 5;
/** Fewer characters than this say little by themselves: the whole passage is quoted then. */
const QUOTE_CHARS_MIN = 20;
/** Of a passage copied badly, this share of the words must stand in it. */
const COPIED_SHARE = 0.8;
/** Share of a statement's own words that its quotes must hold to be about it. */
const ABOUT_SHARE = 0.2;

type About = { task: AssessmentTask; material: Material };

/** The passages that an answer quotes, found where they stand; quotes that stand nowhere are counted. */
export function findQuoted(quotes: StatementAnswer['quotes'], { task, material }: About): Quoted {
  const found: Quoted = { cut: [], whole: [], invented: 0 };
  for (const { passage, words } of quotes.slice(0, QUOTES_MAX)) {
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

/** The words of a passage. */
export function textOf({ ref, start, end }: Passage, { evidence }: AssessmentTask): string {
  return evidence.sources.find((source) => source.ref === ref)?.text.slice(start, end) ?? '';
}

/**
 * What a model's answer about a statement is worth. Undefined when it settles nothing: "supported" and "contradicted" need
 * quotes that stand in the evidence, speak of the statement's subject, and leave the rules nothing to object to when they
 * read the statement beside these quotes alone.
 */
export function proveStatement(
  answer: StatementAnswer,
  statement: Statement,
  about: About,
): StatementOpinion | undefined {
  const { status, sure, reason } = answer;
  const { cut, whole } = findQuoted(answer.quotes, about);
  const opinion = { status, sure, reason, passages: closestFirst(cut, statement, about.task) };
  if (status === 'not_found') return opinion;
  if (whole.length === 0 || !isAbout(statement, whole, about.task)) return undefined;
  const beside = readBeside(statement, whole, about.task);
  if (status === 'supported') return beside.status !== 'contradicted' && beside.open === 0 ? opinion : undefined;
  const compared = comparedOf(answer, statement.text, cut, whole, about.task);
  if (compared === undefined || beside.status === 'supported') return undefined;
  return { ...opinion, compared };
}

/** The words on both sides that a contradiction names, as they stand there; undefined when one of them does not. */
export function comparedOf(
  { claimed, known }: Pick<StatementAnswer, 'claimed' | 'known'>,
  statement: string,
  cut: readonly Passage[],
  whole: readonly Passage[],
  task: AssessmentTask,
): StatementOpinion['compared'] {
  const ours = findQuote(claimed, statement);
  if (ours === undefined || plainText(claimed) === plainText(known)) return undefined;
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

function isAbout({ tokens }: Statement, quoted: readonly Passage[], task: AssessmentTask): boolean {
  const held = new Set(quoted.flatMap((passage) => tokenize(textOf(passage, task)).map(({ stem }) => stem)));
  const own = new Set(tokens.flatMap(({ content, stem }) => (content ? [stem] : [])));
  const shared = [...own].filter((stem) => held.has(stem));
  return shared.length > 0 && shared.length / own.size >= ABOUT_SHARE;
}

/** How the rules read a statement, and how many of its figures and names they miss, when the quoted passages are all the evidence. */
function readBeside(
  statement: Statement,
  quoted: readonly Passage[],
  task: AssessmentTask,
): { status: string; open: number } {
  const sources = task.evidence.sources.flatMap(({ ref, source, origin, observed_at }) => {
    const texts = quoted.filter((passage) => passage.ref === ref).map((passage) => textOf(passage, task));
    if (texts.length === 0) return [];
    return [evidenceSource({ ref, source, text: [source, ...texts].join('\n'), observed_at }, origin)];
  });
  const work = { ...task.work, statements: [statement] };
  const [judged] = judgeStatements(work, indexEvidence(sources), task.signal, () => {}).judged;
  return { status: judged?.status ?? 'not_found', open: judged?.open.length ?? 1 };
}

import { digestOf } from '../../kernel/digest.ts';
import type { TextMeasures } from '../contract.ts';
import { countsIn } from './cell-figure.ts';
import { dayOrderOf } from './dates.ts';
import { isInstruction } from './instructions.ts';
import { isWithin, readJsonRows, withRecords } from './json-rows.ts';
import { readQuantities } from './quantities.ts';
import type { Quantity } from './quantity.ts';
import { splitSentences } from './sentences.ts';
import { readTables, separateValues, type Table } from './tables.ts';
import type { Token } from './token.ts';
import { tokenize } from './tokens.ts';

/** A text that may be cited: supplied by the buyer, or retrieved by the service under the grant. */
export type EvidenceSource = {
  ref: string;
  source: string;
  origin: 'supplied' | 'retrieved';
  text: string;
  digest: string;
  /** Length of the text in UTF-8. */
  bytes: number;
  observed_at: string | null;
};

/** A sentence of a source, read once. */
export type Passage = {
  source: number;
  start: number;
  end: number;
  tokens: Token[];
  /** Stems of its content words, in order. */
  content: string[];
  stems: Set<string>;
  quantities: Quantity[];
  instruction: boolean;
};

/** A word of the evidence, instructions left out. */
export type HeldWord = {
  /** The passages that hold it as a word of content, in order. */
  passages: number[];
  /** The last place in the flow where it stands. */
  last: number;
};

/** Words of the evidence one after the other, each with the place before where it stood; nothing between passages. */
export type Flow = { words: (HeldWord | undefined)[]; before: number[] };

export type EvidenceIndex = {
  sources: EvidenceSource[];
  passages: Passage[];
  /** By stem, words of grammar too. */
  words: Map<string, HeldWord>;
  flow: Flow;
  /** Figures in the names of the sources: known, though no passage can be cited for them. */
  labels: Quantity[];
  tables: Table[];
  /** What is worked out when it is first asked for, each by the module that asks. */
  lazy: {
    speech: number | undefined;
    prefixes: Map<string, string[]> | undefined;
  };
};

/** Digest of a text, and its length in UTF-8. */
export function measuresOf(text: string): TextMeasures {
  return { digest: digestOf(text), bytes: Buffer.byteLength(text) };
}

export function evidenceSource(
  { ref, source, text, observed_at }: Pick<EvidenceSource, 'ref' | 'source' | 'text' | 'observed_at'>,
  origin: EvidenceSource['origin'],
  known: TextMeasures = measuresOf(text),
): EvidenceSource {
  const { digest, bytes } = known;
  return { ref, source, origin, text, digest, bytes, observed_at };
}

/** Reads all sources sentence by sentence. Instruction-like sentences are kept, marked, and left out of the words. */
export function indexEvidence(sources: EvidenceSource[]): EvidenceIndex {
  const passages: Passage[] = [];
  const tables: Table[] = [];
  const words = new Map<string, HeldWord>();
  const flow: Flow = { words: [], before: [] };
  for (const [source, { text }] of sources.entries()) {
    const order = dayOrderOf(text);
    const json = readJsonRows(text, source);
    const own = readTables(text, source).filter((table) => !isWithin(table, json));
    const separated = separateValues(text, own);
    const counts = countsIn([...own, ...json.tables]);
    tables.push(...own, ...json.tables);
    for (const { start, end } of withRecords(splitSentences(text), json.records)) {
      const sentence = separated.slice(start, end);
      const tokens = tokenize(sentence, start);
      const content: string[] = [];
      for (const token of tokens) if (token.content) content.push(token.stem);
      const instruction = isInstruction(sentence, tokens);
      const quantities = readQuantities(tokens, order, ({ start: from }) => !counts.has(from));
      const stems = new Set(content);
      const at = passages.push({ source, start, end, tokens, content, stems, quantities, instruction }) - 1;
      if (!instruction) addWords(tokens, at, words, flow);
    }
  }
  const labels = sources.flatMap(({ source }) => readQuantities(tokenize(source)));
  const lazy = { speech: undefined, prefixes: undefined };
  return { sources, passages, words, flow, labels, tables, lazy };
}

function addWords(tokens: readonly Token[], passage: number, words: Map<string, HeldWord>, flow: Flow): void {
  for (const { kind, stem, content } of tokens) {
    if (kind === 'mark') continue;
    let word = words.get(stem);
    if (word === undefined) {
      word = { passages: content ? [passage] : [], last: -1 };
      words.set(stem, word);
    } else if (content && word.passages.at(-1) !== passage) word.passages.push(passage);
    flow.before.push(word.last);
    word.last = flow.words.push(word) - 1;
  }
  flow.before.push(-1);
  flow.words.push(undefined);
}

const NOWHERE: readonly number[] = [];

/** The passages that hold a stem as a word of content, in order, instructions left out. */
function passagesWith(index: EvidenceIndex, stem: string): readonly number[] {
  return index.words.get(stem)?.passages ?? NOWHERE;
}

/** Whether some passage holds a stem as a word of content, instructions left out. */
export function isHeld(index: EvidenceIndex, stem: string): boolean {
  return passagesWith(index, stem).length > 0;
}

/** A word in more passages than this chooses none of them; it is only looked up where rarer words already led. */
const COMMON_PASSAGES = 120;

export type Match = { passage: number; coverage: number };

/** A stem and how much it says: rare ones say more. */
export type Weighed = { stem: string; weight: number };

/**
 * Passages that share the most weight with a set of words, no stem twice, best first; `coverage` is the shared part of
 * the weight, from 0 to 1.
 */
export function bestPassages(index: EvidenceIndex, words: readonly Weighed[], limit: number): Match[] {
  const scores = new Map<number, number>();
  let total = 0;
  const common: Weighed[] = [];
  for (const word of words) {
    const { stem, weight } = word;
    total += weight;
    const passages = passagesWith(index, stem);
    if (passages.length > COMMON_PASSAGES) common.push(word);
    else for (const passage of passages) scores.set(passage, (scores.get(passage) ?? 0) + weight);
  }
  const led = common.length > 0 ? [...scores.keys()] : [];
  for (const { stem, weight } of common)
    for (const passage of led.length > 0 ? led : passagesWith(index, stem).slice(0, COMMON_PASSAGES))
      if (index.passages[passage]?.stems.has(stem)) scores.set(passage, (scores.get(passage) ?? 0) + weight);
  if (total === 0) return [];
  return [...scores]
    .map(([passage, score]) => ({ passage, coverage: score / total }))
    .sort((a, b) => b.coverage - a.coverage || a.passage - b.passage)
    .slice(0, limit);
}

/** The words of a passage. */
export function passageText(index: EvidenceIndex, passage: Passage): string {
  return index.sources[passage.source]?.text.slice(passage.start, passage.end) ?? '';
}

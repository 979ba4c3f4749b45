import { digestOf } from '../../kernel/digest.ts';
import { utf8Bytes } from '../json-value.ts';
import type { Flow } from '../support/runs.ts';
import type { Table } from '../tables.ts';
import { isInstruction } from './instructions.ts';
import { type Quantity, readQuantities } from './quantities.ts';
import { splitSentences } from './sentences.ts';
import { type Token, tokenize } from './tokens.ts';

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

export type EvidenceIndex = {
  sources: EvidenceSource[];
  passages: Passage[];
  /** Content stem → passages that hold it, instructions left out. */
  postings: Map<string, number[]>;
  /** Figures in the names of the sources: known, though no passage can be cited for them. */
  labels: Quantity[];
  /** Weight of a stem: rare ones say more. */
  weight: (stem: string) => number;
  /** What is worked out when it is first asked for, each by the module that asks. */
  lazy: {
    tables: Table[] | undefined;
    flow: Flow | undefined;
    speech: number | undefined;
    prefixes: Map<string, string[]> | undefined;
  };
};

export function evidenceSource(
  { ref, source, text, observed_at }: Pick<EvidenceSource, 'ref' | 'source' | 'text' | 'observed_at'>,
  origin: EvidenceSource['origin'],
  known?: Pick<EvidenceSource, 'digest' | 'bytes'>,
): EvidenceSource {
  const { digest, bytes } = known ?? { digest: digestOf(text), bytes: utf8Bytes(text) };
  return { ref, source, origin, text, digest, bytes, observed_at };
}

/** Reads all sources sentence by sentence. Instruction-like sentences are kept, marked, and left out of the postings. */
export function indexEvidence(sources: EvidenceSource[], rarity: (stem: string) => number): EvidenceIndex {
  const passages: Passage[] = [];
  const postings = new Map<string, number[]>();
  for (const [source, { text }] of sources.entries()) {
    for (const { start, end } of splitSentences(text)) {
      const sentence = text.slice(start, end);
      const tokens = tokenize(sentence, start);
      const content: string[] = [];
      for (const token of tokens) if (token.content) content.push(token.stem);
      const stems = new Set(content);
      const instruction = isInstruction(sentence);
      const quantities = readQuantities(tokens);
      const at = passages.push({ source, start, end, tokens, content, stems, quantities, instruction }) - 1;
      if (instruction) continue;
      for (const stem of stems) {
        const list = postings.get(stem);
        if (list === undefined) postings.set(stem, [at]);
        else list.push(at);
      }
    }
  }
  const labels = sources.flatMap(({ source }) => readQuantities(tokenize(source)));
  const lazy = { tables: undefined, flow: undefined, speech: undefined, prefixes: undefined };
  return { sources, passages, postings, labels, weight: rarity, lazy };
}

/** A word in more passages than this chooses none of them; it is only looked up where rarer words already led. */
const COMMON_PASSAGES = 120;

export type Match = { passage: number; coverage: number };

/**
 * Passages that share the most weight with a set of stems, best first; `coverage` is the shared part of the weight,
 * from 0 to 1.
 */
export function bestPassages(index: EvidenceIndex, stems: Iterable<string>, limit: number): Match[] {
  const scores = new Map<number, number>();
  let total = 0;
  const common: { stem: string; weight: number }[] = [];
  for (const stem of new Set(stems)) {
    const weight = index.weight(stem);
    total += weight;
    const passages = index.postings.get(stem) ?? [];
    if (passages.length > COMMON_PASSAGES) common.push({ stem, weight });
    else for (const passage of passages) scores.set(passage, (scores.get(passage) ?? 0) + weight);
  }
  const led = common.length > 0 ? [...scores.keys()] : [];
  for (const { stem, weight } of common)
    for (const passage of led.length > 0 ? led : (index.postings.get(stem) ?? []).slice(0, COMMON_PASSAGES))
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

import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';

/** Two numbers of things that a statement gives each other's part: "PLAT-882 fixes the query, PLAT-881 adds alerts". */
export type SwappedNumbers = { claimed: string; known: string; passage: number };

const NUMBER = /(?<![\p{L}\d-])\p{Lu}{1,6}-?\d{1,7}(?![\p{L}\d])/gu;
const CLAUSES = /[,;.](?=\s|$)|\band\b|\bwhile\b|\n/;
const NUMBERS_MAX = 6;

type Clause = { number: string; stems: Set<string> };

/** The parts of a text that hold one such number, each with the other words of content beside it. */
function clausesIn(text: string): Clause[] {
  return text.split(CLAUSES).flatMap((clause): Clause[] => {
    const numbers = [...new Set([...clause.matchAll(NUMBER)].map(([number]) => number))];
    const [number] = numbers;
    if (number === undefined || numbers.length > 1) return [];
    const words = tokenize(clause.replaceAll(NUMBER, ' ')).filter((token) => isContent(token) && token.kind === 'word');
    return [{ number, stems: new Set(words.map(({ stem }) => stem)) }];
  });
}

/** Two clauses whose words the evidence has only beside the number of the other one, each way. */
export function findSwappedNumbers({ text }: Statement, index: EvidenceIndex): SwappedNumbers | undefined {
  const own = clausesIn(text);
  const numbers = new Set(own.map(({ number }) => number));
  if (numbers.size < 2 || numbers.size > NUMBERS_MAX || own.length > numbers.size) return undefined;
  const known = new Map<string, { stems: Set<string>; passage: number }>();
  for (const [passage, one] of index.passages.entries())
    for (const { number, stems } of one.instruction ? [] : clausesIn(passageText(index, one))) {
      if (!numbers.has(number)) continue;
      const entry = known.get(number) ?? { stems: new Set<string>(), passage };
      for (const stem of stems) entry.stems.add(stem);
      known.set(number, entry);
    }
  const shared = (clause: Clause, number: string): number =>
    [...clause.stems].filter((stem) => known.get(number)?.stems.has(stem) === true).length;
  for (const one of own)
    for (const other of own) {
      if (one.number >= other.number) continue;
      const isOwn = shared(one, one.number) + shared(other, other.number) > 0;
      if (isOwn || shared(one, other.number) === 0 || shared(other, one.number) === 0) continue;
      return { claimed: one.number, known: other.number, passage: known.get(other.number)?.passage ?? -1 };
    }
  return undefined;
}

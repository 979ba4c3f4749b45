import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';

/** An order of two events that a statement gives against the times of the evidence. */
export type WrongOrder = { says: 'before' | 'after'; own: string; event: string; known: string; passage: number };

const SAYS = /\b(?:shortly |right |just |soon |immediately )?(before|after)\s+(?:the\s+)?([\p{L}][^.,;:()]{3,60})/iu;

/**
 * "14:02 Warning, shortly after the deploy finished": the statement's own time against every time that the evidence gives
 * for that event. Only when all of them say otherwise is the order wrong.
 */
export function findWrongOrder(statement: Statement, index: EvidenceIndex): WrongOrder | undefined {
  const match = SAYS.exec(statement.text);
  const own = statement.quantities.find(({ kind, start }) => kind === 'time' && start <= 2);
  if (match === null || own === undefined) return undefined;
  const [, word = '', event = ''] = match;
  const stems = statement.tokens
    .filter(
      ({ content, kind, start }) =>
        content &&
        kind === 'word' &&
        start >= match.index + match[0].length - event.length &&
        start < match.index + match[0].length,
    )
    .map(({ stem }) => stem);
  if (stems.length < 2) return undefined;
  const times: { time: Quantity; at: number }[] = [];
  for (const [at, passage] of index.passages.entries()) {
    if (passage.instruction || !stems.every((stem) => passage.stems.has(stem))) continue;
    const time = passage.quantities.find(({ kind }) => kind === 'time');
    if (time !== undefined) times.push({ time, at });
  }
  const [first] = times;
  if (first === undefined) return undefined;
  const says = word.toLowerCase() === 'before' ? 'before' : 'after';
  const wrong = times.every(({ time }) => (says === 'before' ? own.value > time.value : own.value < time.value));
  if (!wrong) return undefined;
  const passage = index.passages[first.at];
  const known = passage === undefined ? '' : passageText(index, passage);
  return { says, own: statement.text.slice(own.start, own.end), event: event.trim(), known, passage: first.at };
}

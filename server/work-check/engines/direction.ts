import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity } from '../reading/quantities.ts';
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

/** A change that a statement gives against the figures on either side of it. */
export type TurnedChange = { says: string; passage: number | undefined };

const RISES = /\b(?:rose|rises?|risen|increased?|grew|grown|climbed|went up|gained|up)\s+from\s+/i;
const FALLS =
  /\b(?:fell|falls?|fallen|decreased?|dropped|drops?|declined?|went down|sank|shrank|reduced|down)\s+from\s+/i;
const FROM = /\b(?:from|before|was|previously|then)\b[^\d]{0,12}$/i;
const TO = /\b(?:to|after|now|afterwards|today)\b[^\d]{0,12}$/i;

/**
 * "Rose from 180 ms to 210 ms": wrong by itself where the second figure is the smaller one, and wrong by a passage that
 * gives just these two the other way round ("before 210 ms, after 180 ms").
 */
export function findTurnedChange({ text, quantities }: Statement, index: EvidenceIndex): TurnedChange | undefined {
  const match = RISES.exec(text) ?? FALLS.exec(text);
  if (match === null) return undefined;
  const after = match.index + match[0].length;
  const at = quantities.findIndex(({ start }) => start >= after && start <= after + 2);
  const from = quantities[at];
  const to = quantities.find(
    ({ start }) => from !== undefined && start > from.end && /\bto\s+\S{0,2}$/.test(text.slice(from.end, start)),
  );
  if (from === undefined || to === undefined || from.kind !== to.kind || from.value === to.value) return undefined;
  if (from.kind === 'date' || from.kind === 'time' || from.unit !== to.unit) return undefined;
  if (!/^[^.;]{0,24}\bto\s+\S{0,2}$/.test(text.slice(from.end, to.start))) return undefined;
  const [one, other] = [text.slice(from.start, from.end), text.slice(to.start, to.end)];
  if (RISES.test(text) !== FALLS.test(text) && to.value > from.value !== RISES.test(text))
    return { says: `from ${one} to ${other} is ${to.value > from.value ? 'more' : 'less'}`, passage: undefined };
  const passage = index.passages.findIndex(({ quantities: known, source, instruction }) => {
    const whole = index.sources[source]?.text ?? '';
    return known.some((first, place) => {
      const second = known[place + 1];
      if (instruction || second === undefined) return false;
      if (compareQuantities(to, first) !== 'same' || compareQuantities(from, second) !== 'same') return false;
      return (
        FROM.test(whole.slice(Math.max(0, first.start - 24), first.start)) &&
        TO.test(whole.slice(first.end, second.start))
      );
    });
  });
  return passage === -1 ? undefined : { says: `it is ${other} before and ${one} after`, passage };
}

const JOINED = /^\s?(?:\p{L}+\s)?(?:to|→|->)\s\S{0,2}$/iu;
const OPENS_PAIR = /\bfrom\s+\S{0,2}$/i;
const SHARED_MIN = 2;

/** The pairs of figures that a text gives as "from … to …". */
function pairsIn(text: string, quantities: readonly Quantity[], offset = 0): [Quantity, Quantity][] {
  return quantities.flatMap((from, at): [Quantity, Quantity][] => {
    const to = quantities[at + 1];
    if (to === undefined || from.value === to.value || from.kind === 'date' || to.kind === 'date') return [];
    const joined = JOINED.test(text.slice(from.end - offset, to.start - offset));
    return joined && OPENS_PAIR.test(text.slice(0, from.start - offset)) ? [[from, to]] : [];
  });
}

/** "From 30 to 5 seconds" where every passage on it that gives the two says "from 5s to 30s". */
export function findTurnedPair(
  { text, tokens, quantities }: Statement,
  index: EvidenceIndex,
): TurnedChange | undefined {
  const own = pairsIn(text, quantities);
  const stems = new Set(tokens.filter(({ content, kind }) => content && kind === 'word').map(({ stem }) => stem));
  for (const [from, to] of own) {
    const told = index.passages.flatMap((passage, at) => {
      const shared = [...passage.stems].filter((stem) => stems.has(stem) && !/^\d/.test(stem)).length;
      if (passage.instruction || shared < SHARED_MIN) return [];
      return pairsIn(passageText(index, passage), passage.quantities, passage.start).flatMap(([first, second]) => {
        const turned = first.value === to.value && second.value === from.value;
        const same = first.value === from.value && second.value === to.value;
        return turned || same ? [{ at, turned, first, second }] : [];
      });
    });
    const [first] = told;
    if (first === undefined || told.some(({ turned }) => !turned)) continue;
    const whole = index.sources[index.passages[first.at]?.source ?? -1]?.text ?? '';
    const known = whole.slice(first.first.start, first.second.end);
    const unit = /^\p{L}{1,2}\b/u.exec(whole.slice(first.second.end))?.[0] ?? '';
    return { says: `it is from ${known}${unit}`, passage: first.at };
  }
  return undefined;
}

import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity } from '../reading/quantities.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';

/** A figure that a passage puts in place of another: "38 guests instead of 45", "move the start from 18:30 to 19:00". */
type Replacement = { old: Quantity; next: Quantity; passage: number };

/** A figure of a statement that the evidence itself replaces, and what holds since. */
export type Replaced = { claimed: string; known: string; passage: number };

const INSTEAD = /\b(?:instead of|rather than|in place of)\s+(?:the\s+)?\S{0,2}$/i;
const MOVES =
  /\b(?:mov|chang|shift|reschedul|postpon|push|bring|brought|delay|amend|correct|revis)\p{L}*\b[^.;]{0,60}\bfrom\s+(?:the\s+)?$/iu;
const TO = /^\s*(?:\p{L}+\s+)?(?:to|until)\s+(?:the\s+)?$/iu;
/** What names the former value itself. */
const FORMER =
  /\b(?:old|previous\w*|former\w*|original\w*|initial\w*|before|was|were|first|earlier|instead|from|until)\b/i;

const found = new WeakMap<EvidenceIndex, Replacement[]>();

function replacementsIn(index: EvidenceIndex): Replacement[] {
  const known = found.get(index);
  if (known !== undefined) return known;
  const made = index.passages.flatMap((passage, at) =>
    passage.instruction ? [] : replacementsOf(passage, at, passageText(index, passage)),
  );
  found.set(index, made);
  return made;
}

function replacementsOf({ quantities, start }: Passage, passage: number, text: string): Replacement[] {
  return quantities.slice(1).flatMap((later, place) => {
    const earlier = quantities[place];
    if (earlier === undefined || earlier.kind !== later.kind || earlier.value === later.value) return [];
    const between = text.slice(earlier.end - start, later.start - start);
    if (INSTEAD.test(between)) return [{ old: later, next: earlier, passage }];
    // "Orders rose from 40 to 48" tells of two times; a date or an hour that is moved holds no more.
    const isTime = earlier.kind === 'date' || earlier.kind === 'time';
    return isTime && TO.test(between) && MOVES.test(text.slice(0, earlier.start - start))
      ? [{ old: earlier, next: later, passage }]
      : [];
  });
}

const isSame = (one: Quantity, other: Quantity): boolean => compareQuantities(one, other) === 'same';

const ASKS =
  /\?\s*$|\b(?:please|can|could|may|would|like|want\w*|wish\w*|hope\w*|ask\w*|propos\w*|suggest\w*|request\w*|if)\b/i;

/** A replacement holds when no later passage goes back to the old figure and, if it was only asked for, another grants it. */
function holds(old: Quantity, next: Quantity, passage: number, index: EvidenceIndex): boolean {
  const gives = (figure: Quantity, other: Passage): boolean =>
    other.quantities.some((one) => one.kind === figure.kind && isSame(figure, one));
  const others = index.passages.filter((one, at) => at !== passage && !one.instruction);
  if (index.passages.some((one, at) => at > passage && gives(old, one) && !gives(next, one))) return false;
  const beside = index.passages[passage];
  if (beside === undefined || !ASKS.test(passageText(index, beside))) return true;
  return others.some((one) => gives(next, one) && !one.tokens.some(({ denies }) => denies));
}

/** Whether a field or sentence gives a figure that a passage on the same thing replaces, and nothing puts back. */
export function findReplaced(statement: Statement, index: EvidenceIndex): Replaced | undefined {
  const replacements = replacementsIn(index);
  const { record, text, quantities, tokens } = statement;
  if (replacements.length === 0 || FORMER.test(record === undefined ? text : record.column.replaceAll('_', ' ')))
    return undefined;
  const figures =
    record === undefined ? quantities : quantities.filter(({ end }) => end > text.length - record.value.length);
  const named = new Set(
    (record === undefined ? tokens : tokenize(record.column.replaceAll('_', ' ')))
      .filter(isContent)
      .map(({ stem }) => stem),
  );
  for (const { old, next, passage } of replacements) {
    const figure = figures.find((one) => one.kind === old.kind && isSame(one, old));
    if (figure === undefined || quantities.some((one) => isSame(one, next))) continue;
    if (replacements.some((other) => isSame(other.next, old))) continue;
    const beside = index.passages[passage];
    if (beside === undefined || !holds(old, next, passage, index)) continue;
    const shared = [...named].filter((stem) => beside.stems.has(stem) && !/^\d/.test(stem)).length;
    const counts = old.kind === 'number' && next.unit !== '' && named.has(next.unit);
    if (!counts && shared < (record === undefined ? 2 : 1)) continue;
    const known = passageText(index, beside).slice(next.start - beside.start, next.end - beside.start);
    return { claimed: text.slice(figure.start, figure.end), known, passage };
  }
  return undefined;
}

import type { Token } from '../reading/token.ts';
import { everydayFor } from './everyday.ts';
import { areOpposed, entryOf } from './lexicon.ts';

/** What it counts that one word stands for another: a synonym nearly as much as the word itself, a broader one less. */
const SYNONYM = 0.9;
const BROADER = 0.7;
const DERIVED = 0.85;
const STEM_SHARED_MIN = 5;
const ENDINGS_MAX = 5;
const SHORT_FORM_MIN = 4;

/** How well a word of the evidence stands for one of a statement, from 0 to 1. */
export function meansAlike(own: Token, known: Token): number {
  if (own.stem === known.stem) return 1;
  if (own.kind !== 'word' || known.kind !== 'word') return 0;
  if (everydayFor(own.stem).includes(known.stem)) return SYNONYM;
  const [mine, theirs] = [entryOf(own), entryOf(known)];
  if (areOpposed(mine, theirs)) return 0;
  if (mine.synonyms.includes(known.stem) || theirs.synonyms.includes(own.stem)) return SYNONYM;
  if (own.capital !== known.capital && own.capital) return isShortFor(own.lower, known.lower) ? DERIVED : 0;
  if (isDerived(own.lower, known.lower) || isShortFor(own.lower, known.lower)) return DERIVED;
  return mine.broader.includes(known.stem) || theirs.broader.includes(own.stem) ? BROADER : 0;
}

/** "Conservator" and "conservation", "move" and "movement": one begins as the other does, and both end soon after. */
function isDerived(a: string, b: string): boolean {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same += 1;
  if (same >= STEM_SHARED_MIN && a.length - same <= ENDINGS_MAX && b.length - same <= ENDINGS_MAX) return true;
  // "Moved" and "moves"
  return same >= INFLECTED_MIN && INFLECTION.test(a.slice(same)) && INFLECTION.test(b.slice(same));
}

const INFLECTED_MIN = 4;
const INFLECTION = /^(?:e?[sd]|ing|e?r|e?n|ly)?$/;

/** "Treas" in notes stands for "treasurer". */
const isShortFor = (long: string, short: string): boolean =>
  short.length >= SHORT_FORM_MIN && long.length > short.length + 2 && long.startsWith(short);

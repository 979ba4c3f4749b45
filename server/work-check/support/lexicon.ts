import asset from '../assets/lexicon.json' with { type: 'json' };
import type { Token } from '../reading/token.ts';
import { isExclusive, otherEnd, scaleEnds } from './scales.ts';

/** What a lexicon knows of a stem. */
export type LexiconEntry = {
  readonly stem: string;
  /** Inverse document frequency, about 1 to 9. */
  readonly rarity: number;
  /** Stems that can stand for it, those that mean something broader, and those that mean the opposite. */
  readonly synonyms: readonly string[];
  readonly broader: readonly string[];
  readonly opposites: readonly string[];
  /** The ends of scales that it stands for, each by a number of its own. */
  readonly ends: readonly number[];
};

/**
 * Words by stem: how rare each is, which ones mean the same or something broader, and which mean the opposite. Built by
 * `npm run check:train`; word relations come from WordNet (Princeton University, licence in the model card).
 */
const words: string[] = asset.words === '' ? [] : asset.words.split(' ');
const FIRST_CHAR = 35;
const STEPS_PER_UNIT = 8;
/** Weight of a word that is not in the list. */
const UNKNOWN = 9;

const NONE: readonly string[] = [];
const UNKNOWN_WORD: LexiconEntry = {
  stem: '',
  rarity: UNKNOWN,
  synonyms: NONE,
  broader: NONE,
  opposites: NONE,
  ends: [],
};
/** Figures count as rare. */
const UNKNOWN_FIGURE: LexiconEntry = { ...UNKNOWN_WORD, rarity: UNKNOWN - 2 };

function lists(packed: string): (readonly string[])[] {
  const named = (id: string): string => words[Number.parseInt(id, 36)] ?? '';
  return packed.split(';').map((entry) => (entry === '' ? NONE : entry.split(',').map(named)));
}

/** Put together once, when the module loads: the same few stems are asked for again and again. */
const entries = readEntries();

function readEntries(): Map<string, LexiconEntry> {
  const synonyms = lists(asset.synonyms);
  const broader = lists(asset.broader);
  const opposites = lists(asset.opposites);
  const read = new Map<string, LexiconEntry>();
  for (const [stem, ends] of scaleEnds) read.set(stem, { ...UNKNOWN_WORD, stem, ends });
  for (const [id, stem] of words.entries())
    read.set(stem, {
      stem,
      rarity: ((asset.rarity.charCodeAt(id) || FIRST_CHAR) - FIRST_CHAR) / STEPS_PER_UNIT,
      synonyms: synonyms[id] ?? NONE,
      broader: broader[id] ?? NONE,
      opposites: opposites[id] ?? NONE,
      ends: scaleEnds.get(stem) ?? UNKNOWN_WORD.ends,
    });
  return read;
}

/** What is known of a stem. */
function lookUp(stem: string): LexiconEntry {
  return entries.get(stem) ?? (/\d/.test(stem) ? UNKNOWN_FIGURE : UNKNOWN_WORD);
}

/** What is known of a token's stem. */
export function entryOf({ form }: Token): LexiconEntry {
  return form === undefined ? UNKNOWN_FIGURE : lookUp(form.stem);
}

/** Whether of two stems only one can be true of a subject: opposites by themselves, or the ends of an exclusive scale. */
export function areOpposed(a: LexiconEntry, b: LexiconEntry): boolean {
  if (a.opposites.includes(b.stem)) return true;
  return (
    a.ends.some((end) => isExclusive(end) && b.ends.includes(otherEnd(end))) &&
    !a.ends.some((end) => b.ends.includes(end))
  );
}

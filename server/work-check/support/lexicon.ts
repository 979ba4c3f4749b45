import asset from '../assets/lexicon.json' with { type: 'json' };

/**
 * Words by stem: how rare each is, which ones mean the same or something broader, and which mean the opposite. Built by
 * `npm run check:train`; word relations come from WordNet (Princeton University, licence in the model card).
 */
const words: string[] = asset.words === '' ? [] : asset.words.split(' ');
const FIRST_CHAR = 35;
const STEPS_PER_UNIT = 8;
/** Weight of a word that is not in the list. */
const UNKNOWN = 9;

/** Stems that can stand for a stem, those that mean something broader, and those that mean the opposite. */
export type Relations = Readonly<Record<'synonyms' | 'broader' | 'opposites', readonly string[]>>;
/** What is known of a stem; `rarity` is its inverse document frequency, about 1 to 9. */
export type Entry = Relations & { readonly rarity: number };

const NONE: readonly string[] = [];
const UNKNOWN_WORD: Entry = { rarity: UNKNOWN, synonyms: NONE, broader: NONE, opposites: NONE };
/** Figures count as rare. */
const UNKNOWN_FIGURE: Entry = { ...UNKNOWN_WORD, rarity: UNKNOWN - 2 };

function lists(packed: string): (readonly string[])[] {
  const named = (id: string): string => words[Number.parseInt(id, 36)] ?? '';
  return packed.split(';').map((entry) => (entry === '' ? NONE : entry.split(',').map(named)));
}

/** Put together once, when the module loads: the same few stems are asked for again and again. */
const entries = readEntries();

function readEntries(): Map<string, Entry> {
  const synonyms = lists(asset.synonyms);
  const broader = lists(asset.broader);
  const opposites = lists(asset.opposites);
  return new Map(
    words.map((word, id) => [
      word,
      {
        rarity: ((asset.rarity.charCodeAt(id) || FIRST_CHAR) - FIRST_CHAR) / STEPS_PER_UNIT,
        synonyms: synonyms[id] ?? NONE,
        broader: broader[id] ?? NONE,
        opposites: opposites[id] ?? NONE,
      },
    ]),
  );
}

export function entryOf(stem: string): Entry {
  return entries.get(stem) ?? (/\d/.test(stem) ? UNKNOWN_FIGURE : UNKNOWN_WORD);
}

/** Inverse document frequency of a stem. */
export const rarity = (stem: string): number => entryOf(stem).rarity;
/** Stems that mean something broader. */
export const broaderThan = (stem: string): readonly string[] => entries.get(stem)?.broader ?? NONE;
/** Stems that mean the opposite. */
export const oppositesOf = (stem: string): readonly string[] => entries.get(stem)?.opposites ?? NONE;

/** Whether two stems name different kinds of one thing: both have a broader word in common and neither is the other's. */
export function areSiblings(a: string, b: string): boolean {
  const { broader: above, synonyms: same } = entryOf(a);
  if (above.length === 0 || a === b || same.includes(b) || above.includes(b)) return false;
  const others = broaderThan(b);
  return !others.includes(a) && others.some((stem) => above.includes(stem));
}

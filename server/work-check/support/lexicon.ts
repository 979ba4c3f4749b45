import asset from '../assets/lexicon.json' with { type: 'json' };

/**
 * Words by stem: how rare each is, which ones mean the same or something broader, and which mean the opposite. Built by
 * `npm run check:train`; word relations come from WordNet (Princeton University, licence in the model card).
 */
const words: string[] = asset.words === '' ? [] : asset.words.split(' ');
const ids = new Map(words.map((word, id) => [word, id]));
const FIRST_CHAR = 35;
const STEPS_PER_UNIT = 8;
/** Weight of a word that is not in the list. */
const UNKNOWN = 9;

function lists(packed: string): number[][] {
  return packed.split(';').map((entry) => (entry === '' ? [] : entry.split(',').map((id) => Number.parseInt(id, 36))));
}

const synonyms = lists(asset.synonyms);
const broader = lists(asset.broader);
const opposites = lists(asset.opposites);

/** Inverse document frequency of a stem, about 1 to 9; figures count as rare. */
export function rarity(stem: string): number {
  const id = ids.get(stem);
  if (id === undefined) return /\d/.test(stem) ? UNKNOWN - 2 : UNKNOWN;
  return ((asset.rarity.charCodeAt(id) || FIRST_CHAR) - FIRST_CHAR) / STEPS_PER_UNIT;
}

/** Stems that can stand for a stem, those that mean something broader, and those that mean the opposite. */
export type Relations = Record<'synonyms' | 'broader' | 'opposites', readonly string[]>;
const UNRELATED: Relations = { synonyms: [], broader: [], opposites: [] };

const named = (table: number[][], id: number): string[] => table[id]?.map((other) => words[other] ?? '') ?? [];
const relations: (Relations | undefined)[] = Array.from({ length: words.length });

/** The relations of a stem, put together once: the same few stems are asked for again and again. */
export function relationsOf(stem: string): Relations {
  const id = ids.get(stem);
  if (id === undefined) return UNRELATED;
  relations[id] ??= { synonyms: named(synonyms, id), broader: named(broader, id), opposites: named(opposites, id) };
  return relations[id];
}

/** Stems that mean something broader. */
export const broaderThan = (stem: string): readonly string[] => relationsOf(stem).broader;
/** Stems that mean the opposite. */
export const oppositesOf = (stem: string): readonly string[] => relationsOf(stem).opposites;

/** Whether two stems name different kinds of one thing: both have a broader word in common and neither is the other's. */
export function areSiblings(a: string, b: string): boolean {
  const { broader: above, synonyms: same } = relationsOf(a);
  if (above.length === 0 || a === b || same.includes(b) || above.includes(b)) return false;
  const others = broaderThan(b);
  return !others.includes(a) && others.some((stem) => above.includes(stem));
}

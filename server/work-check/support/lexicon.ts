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

const NONE: readonly string[] = [];

/** Looks words up once: the same few stems are asked for again and again. */
function namer(table: number[][]): (stem: string) => readonly string[] {
  const known: (readonly string[] | undefined)[] = Array.from({ length: table.length });
  return (stem) => {
    const id = ids.get(stem);
    if (id === undefined) return NONE;
    known[id] ??= table[id]?.map((other) => words[other] ?? '') ?? NONE;
    return known[id];
  };
}

/** Stems that can stand for this one. */
export const synonymsOf = namer(synonyms);
/** Stems that mean something broader. */
export const broaderThan = namer(broader);
/** Stems that mean the opposite. */
export const oppositesOf = namer(opposites);

/** Whether two stems name different kinds of one thing: both have a broader word in common and neither is the other's. */
export function areSiblings(a: string, b: string): boolean {
  const above = broaderThan(a);
  if (above.length === 0 || a === b || synonymsOf(a).includes(b)) return false;
  if (above.includes(b) || broaderThan(b).includes(a)) return false;
  return broaderThan(b).some((stem) => above.includes(stem));
}

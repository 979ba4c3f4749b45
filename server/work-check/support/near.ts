import type { EvidenceIndex, Passage } from '../reading/evidence-index.ts';
import { answerOf, deniedStems } from '../reading/negation.ts';
import { compareQuantities, type Quantity, readQuantities } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import { isContent, type Token } from '../reading/tokens.ts';
import type { FeatureName, Setter, Sought } from './features.ts';
import { areSiblings, broaderThan } from './lexicon.ts';
import { endsOf, otherEnd } from './scales.ts';
import { misfitOf } from './usage.ts';
import { candidatesOf, SAME_BY_PREFIX, SAME_BY_SYNONYM, type Wanted, windowsOf } from './windows.ts';

/** One sentence of a statement beside the passages that hold most of it. */
type Beside = {
  tokens: readonly Token[];
  wanted: readonly Wanted[];
  /** How well those passages hold each wanted word. */
  levels: readonly number[];
  near: readonly Passage[];
  figures: readonly Quantity[];
};

/** What is seen of one sentence; over several sentences the worst or the sum counts. */
type Seen = {
  /** Shares of its weight in its best passage and in its best three in a row. */
  one: number;
  three: number;
  unseen: { heaviest: number; count: number; names: number };
  pairs: { next: number; together: number };
  figures: { unseen: number; rival: number };
  tone: { denialAdded: number; denialLost: number; hedgeLost: number; strongWords: number };
  swaps: { opposites: number; siblings: number };
  ends: { same: number; other: number };
  unlikely: { misfit: number; negated: number };
  order: { kept: number; swapped: number };
};

/** How the sentences of a statement make one feature: `worst` the greatest, `least` the smallest. */
const OVER_SENTENCES: readonly (readonly [FeatureName, 'worst' | 'least' | 'sum' | 'mean', (of: Seen) => number])[] = [
  ['weakest_one', 'least', ({ one }) => one],
  ['weakest_three', 'least', ({ three }) => three],
  ['near_unseen_heaviest', 'worst', ({ unseen }) => unseen.heaviest],
  ['near_unseen_count', 'mean', ({ unseen }) => unseen.count],
  ['near_pairs', 'mean', ({ pairs }) => pairs.next],
  ['near_together', 'mean', ({ pairs }) => pairs.together],
  ['near_figures_unseen', 'mean', ({ figures }) => figures.unseen],
  ['near_figures_rival', 'sum', ({ figures }) => figures.rival],
  ['near_names_unseen', 'mean', ({ unseen }) => unseen.names],
  ['near_denial_added', 'sum', ({ tone }) => tone.denialAdded],
  ['near_denial_lost', 'sum', ({ tone }) => tone.denialLost],
  ['near_opposites', 'sum', ({ swaps }) => swaps.opposites],
  ['near_siblings', 'mean', ({ swaps }) => swaps.siblings],
  ['near_same_end', 'mean', ({ ends }) => ends.same],
  ['near_other_end', 'sum', ({ ends }) => ends.other],
  ['near_order', 'mean', ({ order }) => order.kept],
  ['near_swapped', 'mean', ({ order }) => order.swapped],
  ['near_hedge_lost', 'worst', ({ tone }) => tone.hedgeLost],
  ['near_strong_words', 'sum', ({ tone }) => tone.strongWords],
  ['near_misfit', 'sum', ({ unlikely }) => unlikely.misfit],
  ['near_negated', 'sum', ({ unlikely }) => unlikely.negated],
];

function overSentences(seen: readonly Seen[], how: (typeof OVER_SENTENCES)[number][1], pick: (of: Seen) => number) {
  let [worst, least, sum] = [0, 1, 0];
  for (const sentence of seen) {
    const value = pick(sentence);
    worst = Math.max(worst, value);
    least = Math.min(least, value);
    sum += value;
  }
  switch (how) {
    case 'worst':
      return worst;
    case 'least':
      return least;
    case 'sum':
      return sum;
    case 'mean':
      return sum / Math.max(1, seen.length);
    default:
      return how satisfies never;
  }
}

/** Features of each sentence of a statement beside the passages that hold most of it. */
export function readNear(
  spans: readonly Span[],
  sought: Sought,
  weights: Float64Array,
  index: EvidenceIndex,
  set: Setter,
): void {
  const seen: Seen[] = [];
  for (const [at, { end }] of (spans.length > 0 ? spans : [{ start: 0, end: Number.POSITIVE_INFINITY }]).entries()) {
    const from = at === 0 ? 0 : (spans[at - 1]?.end ?? 0);
    const tokens =
      spans.length <= 1 ? sought.tokens : sought.tokens.filter((token) => token.start >= from && token.end <= end);
    const sentence = readSentence(tokens, spans.length <= 1, sought, weights, index);
    if (sentence !== undefined) seen.push(sentence);
  }
  set('sentences', Math.min(6, seen.length));
  for (const [name, how, pick] of OVER_SENTENCES) set(name, overSentences(seen, how, pick));
}

function readSentence(
  tokens: readonly Token[],
  only: boolean,
  sought: Sought,
  weights: Float64Array,
  index: EvidenceIndex,
): Seen | undefined {
  const { wanted, matches, figures } = sought;
  let [within, one, three] = [weights, sought.one, sought.three];
  if (!only) {
    const own = new Set<string>();
    for (const token of tokens) own.add(token.stem);
    within = weights.map((weight, at) => (own.has(wanted[at]?.stem ?? '') ? weight : 0));
    const candidates = candidatesOf(matches, within);
    const best = windowsOf(candidates, matches, within, index);
    [one, three] = [best(1), best(3)];
  }
  let total = 0;
  for (const weight of within) total += weight;
  if (total === 0) return undefined;
  const near: Passage[] = [];
  for (const at of three.passages) {
    const passage = index.passages[at];
    if (passage !== undefined) near.push(passage);
  }
  const levels: number[] = [];
  const part: Wanted[] = [];
  for (const [at, word] of wanted.entries()) {
    if (within[at] === 0) continue;
    part.push(word);
    levels.push(three.levels[at] ?? 0);
  }
  const beside: Beside = { tokens, wanted: part, levels, near, figures: only ? figures : readQuantities(tokens) };
  return {
    one: one.soft / total,
    three: three.soft / total,
    unseen: readUnseen(beside),
    pairs: readPairs(beside),
    figures: readFigures(beside),
    tone: readTone(beside),
    swaps: readSwaps(beside),
    ends: readEnds(beside),
    unlikely: readUnlikely(beside),
    order: readOrder(beside),
  };
}

function readUnseen({ tokens, wanted, levels, near }: Beside): Seen['unseen'] {
  const stands = (stem: string): boolean =>
    near.some((passage) => passage.stems.has(stem) || passage.tokens.some((token) => token.stem === stem));
  let [heaviest, count] = [0, 0];
  for (const [at, { stem, weight }] of wanted.entries()) {
    if ((levels[at] ?? 0) >= SAME_BY_PREFIX || stands(stem)) continue;
    count += 1;
    heaviest = Math.max(heaviest, weight);
  }
  return { heaviest, count, names: namesOf(tokens).filter(({ stem }) => !stands(stem)).length };
}

/** How far apart two words that are neighbours in a statement may stand in a passage. */
const TOGETHER_SPAN = 4;

function readPairs({ tokens, near }: Beside): Seen['pairs'] {
  const content: string[] = [];
  for (const token of tokens) if (token.content) content.push(token.stem);
  let [next, together] = [0, 0];
  for (let at = 1; at < content.length; at += 1) {
    const [before, stem] = [content[at - 1] ?? '', content[at] ?? ''];
    let gap = Number.POSITIVE_INFINITY;
    for (const passage of near) gap = Math.min(gap, gapBetween(passage.content, before, stem));
    if (gap === 1) next += 1;
    if (gap <= TOGETHER_SPAN) together += 1;
  }
  const count = Math.max(1, content.length - 1);
  return { next: next / count, together: together / count };
}

/** The least number of content words from one to another in a passage; infinite when one of them is not there. */
function gapBetween(stems: readonly string[], before: string, stem: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = stems.indexOf(before); at !== -1; at = stems.indexOf(before, at + 1))
    for (let other = Math.max(0, at - TOGETHER_SPAN); other <= at + TOGETHER_SPAN; other += 1)
      if (stems[other] === stem) least = Math.min(least, other > at ? other - at : at - other + 1);
  return least;
}

function readFigures({ figures, near }: Beside): Seen['figures'] {
  const compared = (match: 'same' | 'different', figure: Quantity): boolean =>
    near.some((passage) => passage.quantities.some((known) => compareQuantities(figure, known) === match));
  const away = figures.filter((figure) => !compared('same', figure));
  return { unseen: away.length, rival: away.filter((figure) => compared('different', figure)).length };
}

const HEDGES = new Set(
  'may might could can possibly perhaps likely probably suggest appear seem potential potentially about approximately around nearly almost some'.split(
    ' ',
  ),
);
const STRONG = new Set(
  'all every always only never none entirely completely must definitely certainly exclusively guarantee prove'.split(
    ' ',
  ),
);
/** How far the answer that opens a statement and what comes after it are at odds with each other, or with the passages. */
function answerClash(tokens: readonly Token[], denies: boolean, near: readonly Passage[], nearDenies: boolean): number {
  switch (answerOf(tokens)) {
    case 'yes':
      return denies ? 0.5 : 0;
    case 'no':
      if (denies) return 0;
      return nearDenies || near.some((passage) => answerOf(passage.tokens) === 'no') ? 0.5 : 1;
    default:
      return 0;
  }
}

function readTone({ tokens, near }: Beside): Seen['tone'] {
  const denied = deniedStems(tokens);
  const nearDenied = near.flatMap((passage) => deniedStems(passage.tokens));
  const own = denied.flat();
  const theirs = nearDenied.flat();
  const isStated = (stem: string): boolean =>
    !own.includes(stem) && tokens.some((token) => token.content && token.stem === stem);
  const strong = new Set<string>();
  for (const { lower } of tokens) if (STRONG.has(lower)) strong.add(lower);
  for (const passage of strong.size > 0 ? near : []) for (const { lower } of passage.tokens) strong.delete(lower);
  const any = (words: ReadonlySet<string>, among: readonly Token[]): boolean =>
    among.some(({ lower }) => words.has(lower));
  return {
    denialAdded:
      denied.filter((group) => !group.some((stem) => theirs.includes(stem))).length +
      answerClash(tokens, denied.length > 0, near, nearDenied.length > 0),
    denialLost: nearDenied.filter((group) => group.every(isStated)).length,
    hedgeLost: near.some((passage) => any(HEDGES, passage.tokens)) && !any(HEDGES, tokens) ? 1 : 0,
    strongWords: strong.size,
  };
}

/** Words that took the place of another: an opposite, or another kind of the same thing. */
function readSwaps({ wanted, levels, near }: Beside): Seen['swaps'] {
  const isStated = (stem: string): boolean => wanted.some((word) => word.stem === stem);
  const isFree = (stem: string): boolean => near.some(({ stems }) => stems.has(stem)) && !isStated(stem);
  let opposites = 0;
  const apart: Wanted[] = [];
  /** The words of the passages by what is broader than they are, where it is broader than a word at issue. */
  const under = new Map<string, string[]>();
  for (const [at, word] of wanted.entries()) {
    const level = levels[at] ?? 0;
    if (level === 1 || word.token.kind === 'number') continue;
    if (word.relations.opposites.some(isFree)) opposites += 1;
    else if (level < SAME_BY_SYNONYM) {
      apart.push(word);
      for (const above of word.relations.broader) under.set(above, []);
    }
  }
  if (under.size === 0) return { opposites, siblings: 0 };
  for (const { content } of near)
    for (const stem of content) for (const above of broaderThan(stem)) under.get(above)?.push(stem);
  const isSwapped = ({ stem, relations }: Wanted): boolean =>
    relations.broader.some((above) => under.get(above)?.some((other) => !isStated(other) && areSiblings(stem, other)));
  return { opposites, siblings: apart.filter(isSwapped).length };
}

/** Words of a scale that are not in the passages: how many have their own end there, and how many only the other. */
function readEnds({ wanted, levels, near }: Beside): Seen['ends'] {
  let [same, other] = [0, 0];
  let known: Set<number> | undefined;
  for (const [at, { stem }] of wanted.entries()) {
    const own = levels[at] === 1 ? [] : endsOf(stem);
    if (own.length === 0) continue;
    known ??= endsIn(near, wanted);
    if (own.some((end) => known?.has(end))) same += 1;
    else if (own.some((end) => known?.has(otherEnd(end)))) other += 1;
  }
  return { same, other };
}

const NEGATING = /^(?:un|in|im|ir|il|dis|non|mis|ab?)/;

/**
 * Of words that the passages do not hold and that have an opposite: how much better the opposite would fit between the
 * words around each, and how many of them deny by their form. What no one would write of itself wants a source.
 */
function readUnlikely({ tokens, wanted, levels }: Beside): Seen['unlikely'] {
  let [misfit, negated] = [0, 0];
  for (const [at, { stem, token, relations }] of wanted.entries()) {
    if (token.kind !== 'word' || (levels[at] ?? 0) >= SAME_BY_SYNONYM) continue;
    const { opposites } = relations;
    if (opposites.length === 0) continue;
    misfit += misfitOf(tokens, tokens.indexOf(token));
    if ((NEGATING.test(stem) && opposites.some((other) => stem.endsWith(other))) || token.lower.endsWith('less'))
      negated += 1;
  }
  return { misfit, negated };
}

/** The ends of scales that the passages name in words which the statement does not share. */
function endsIn(near: readonly Passage[], wanted: readonly Wanted[]): Set<number> {
  const found = new Set<number>();
  for (const { content } of near)
    for (const stem of content) {
      const ends = endsOf(stem);
      if (ends.length === 0 || wanted.some((word) => word.stem === stem)) continue;
      for (const end of ends) found.add(end);
    }
  return found;
}

/** Neighbouring words that stand in the same order in the passage that shares most of them, and those that do not. */
function readOrder({ wanted, near }: Beside): Seen['order'] {
  let best = { kept: 0, swapped: 0, shared: -1 };
  for (const { content } of near) {
    let [kept, swapped, shared, first] = [0, 0, 0, -1];
    for (const { stem } of wanted) {
      const place = content.indexOf(stem);
      if (place === -1) continue;
      shared += 1;
      if (shared > 1) {
        if (first < content.lastIndexOf(stem)) kept += 1;
        else swapped += 1;
      }
      first = place;
    }
    if (shared > best.shared) best = { kept: kept / Math.max(1, shared - 1), swapped, shared };
  }
  return { kept: best.kept, swapped: best.swapped };
}

/** Capitalised words inside a sentence; a text all in capitals has none. */
export function namesOf(tokens: readonly Token[]): Token[] {
  const names = tokens.filter((token, at) => token.capital && isContent(token) && at > 0 && token.lower.length > 2);
  const words = tokens.filter(({ kind }) => kind === 'word');
  return names.length > 3 && names.length >= words.length - 1 ? [] : names;
}

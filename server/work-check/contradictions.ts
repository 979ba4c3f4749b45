import type { Claim } from './claims.ts';
import { bestPassages, type EvidenceIndex, type Match, type Passage, passageText } from './reading/evidence-index.ts';
import { compareQuantities, type Quantity } from './reading/quantities.ts';
import { isContent, type Token } from './reading/tokens.ts';

export type FaultKind = 'number' | 'date' | 'name' | 'negation';

/** Where a claim and the evidence part: `contradicts` when the evidence says otherwise, else it is merely not there. */
export type Fault = { kind: FaultKind; contradicts: boolean; claimed: string; known: string; passage: number };

/** What the rules see in one claim. */
export type ClaimReading = {
  claim: Claim;
  matches: Match[];
  coverage: number;
  faults: Fault[];
};

const MATCHES_MAX = 6;
/** A passage speaks of the same thing as a claim when it shares this part of the weight of its words. */
const SAME_SUBJECT = 0.5;
/** A short passage speaks of the claim's subject when this share of its own words stands in the claim. */
const PASSAGE_WITHIN_CLAIM = 0.75;
/** A figure found in a passage this much weaker than the best one is about something else. */
const NEARLY_AS_GOOD = 0.75;

/** Reads one claim against the evidence by rules alone. */
export function readClaim(claim: Claim, index: EvidenceIndex): ClaimReading {
  const words = claim.tokens.filter((token) => isContent(token) && token.kind === 'word').map((token) => token.stem);
  const content = claim.tokens.filter(isContent).map((token) => token.stem);
  const matches = bestPassages(index, words.length > 0 ? words : content, MATCHES_MAX);
  const coverage = coverageByBest(index, content, matches);
  const faults: Fault[] = [];
  for (const quantity of claim.quantities) {
    const fault = figureFault(claim, quantity, index, matches);
    if (fault !== undefined) faults.push(fault);
  }
  faults.push(...nameFaults(claim, index));
  const fault = negationFault(claim, content, index, matches);
  if (fault !== undefined) faults.push(fault);
  return { claim, matches, coverage, faults };
}

/** Share of the claim's weight found in its best passage and the one that adds most to it. */
function coverageByBest(index: EvidenceIndex, content: string[], matches: Match[]): number {
  const best = matches[0] === undefined ? undefined : index.passages[matches[0].passage];
  if (best === undefined) return 0;
  const wanted = [...new Set(content)];
  const total = wanted.reduce((sum, stem) => sum + index.weight(stem), 0);
  const covered = (extra: Passage | undefined): number =>
    wanted.reduce((sum, stem) => (best.stems.has(stem) || extra?.stems.has(stem) ? sum + index.weight(stem) : sum), 0);
  const pairs = matches.map((match) => covered(index.passages[match.passage]));
  return total === 0 ? 0 : Math.max(0, ...pairs) / total;
}

function figureFault(claim: Claim, quantity: Quantity, index: EvidenceIndex, matches: Match[]): Fault | undefined {
  const kind: FaultKind = quantity.kind === 'date' || quantity.kind === 'time' ? 'date' : 'number';
  const claimed = claim.text.slice(quantity.start, quantity.end);
  const near = bestPassages(index, nearbyStems(claim, quantity), MATCHES_MAX);
  const rival = findRival(claim, quantity, index, near);
  const same = (match: Match): boolean =>
    index.passages[match.passage]?.quantities.some((known) => compareQuantities(quantity, known) === 'same') ?? false;
  const top = near[0]?.coverage ?? 0;
  // A figure that stands only beside another subject does not bear the claim out.
  if (near.some((match) => same(match) && match.coverage >= top * NEARLY_AS_GOOD)) return undefined;
  if (rival === undefined) {
    if (matches.some(same) || index.labels.some((known) => compareQuantities(quantity, known) === 'same'))
      return undefined;
    return { kind, contradicts: false, claimed, known: '', passage: matches[0]?.passage ?? -1 };
  }
  const passage = index.passages[rival.passage];
  const text = passage === undefined ? '' : (index.sources[passage.source]?.text ?? '');
  const known = text.slice(rival.quantity.start, rival.quantity.end);
  return { kind, contradicts: true, claimed, known, passage: rival.passage };
}

/** Another value of the same kind, in a passage about the same thing, that the claim does not state itself. */
function findRival(
  claim: Claim,
  quantity: Quantity,
  index: EvidenceIndex,
  near: readonly Match[],
): { quantity: Quantity; passage: number } | undefined {
  for (const match of near) {
    if (match.coverage < SAME_SUBJECT) return undefined;
    const other = index.passages[match.passage]?.quantities.find(
      (known) =>
        compareQuantities(quantity, known) === 'different' &&
        !claim.quantities.some((own) => compareQuantities(own, known) === 'same'),
    );
    if (other !== undefined) return { quantity: other, passage: match.passage };
  }
  return undefined;
}

const NEAR_BEFORE = 6;
const NEAR_AFTER = 4;

/** Content words around a figure, up to the next figure of its kind on either side. */
function nearbyStems(claim: Claim, quantity: Quantity): string[] {
  const others = claim.quantities.filter((other) => other !== quantity && other.kind === quantity.kind);
  const from = Math.max(0, ...others.filter((other) => other.last < quantity.first).map((other) => other.last + 1));
  const to = Math.min(
    claim.tokens.length,
    ...others.filter((other) => other.first > quantity.last).map((other) => other.first),
  );
  const inFigure = (at: number): boolean => claim.quantities.some((other) => at >= other.first && at <= other.last);
  const words = (start: number, end: number): Token[] =>
    claim.tokens
      .slice(start, end)
      .filter((token, at) => isContent(token) && token.kind === 'word' && !inFigure(start + at));
  return [...words(from, quantity.first).slice(-NEAR_BEFORE), ...words(quantity.last + 1, to).slice(0, NEAR_AFTER)].map(
    (token) => token.stem,
  );
}

/** Capitalised words inside a sentence that stand nowhere in the evidence. */
function nameFaults(claim: Claim, index: EvidenceIndex): Fault[] {
  const faults: Fault[] = [];
  for (const [at, token] of claim.tokens.entries()) {
    const before = claim.tokens[at - 1];
    const opens =
      claim.kind === 'sentence' && (before === undefined || (before.kind === 'mark' && /[.!?:"“(]/.test(before.lower)));
    if (!token.capital || opens || !isContent(token) || token.lower.length < 3 || index.postings.has(token.stem))
      continue;
    faults.push({
      kind: 'name',
      contradicts: false,
      claimed: claim.text.slice(token.start, token.end),
      known: '',
      passage: -1,
    });
  }
  return faults;
}

const NEGATIONS = new Set([
  'not',
  'no',
  'never',
  'none',
  'neither',
  'nor',
  'without',
  'cannot',
  "n't",
  'nothing',
  'nobody',
]);

/** Whether a run of tokens denies what it says. */
export function isNegated(tokens: readonly Token[]): boolean {
  return tokens.some((token) => NEGATIONS.has(token.lower) || token.lower.endsWith("n't"));
}

/** The claim asserts what a passage on the same subject denies, or denies what it asserts. */
function negationFault(claim: Claim, content: string[], index: EvidenceIndex, matches: Match[]): Fault | undefined {
  const denies = isNegated(claim.tokens);
  const stated = new Set(content);
  for (const [rank, match] of matches.entries()) {
    const passage = index.passages[match.passage];
    if (passage === undefined) continue;
    const shared = [...passage.stems].filter((stem) => stated.has(stem)).length;
    const within = shared >= 2 && shared / passage.stems.size >= PASSAGE_WITHIN_CLAIM;
    if (!within && (rank > 0 || match.coverage < SAME_SUBJECT)) continue;
    if (denies === isNegated(passage.tokens)) {
      if (rank === 0 && match.coverage >= NEARLY_AS_GOOD) return undefined;
      continue;
    }
    return {
      kind: 'negation',
      contradicts: true,
      claimed: claim.text,
      known: passageText(index, passage),
      passage: match.passage,
    };
  }
  return undefined;
}

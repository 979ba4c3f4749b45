import { isContent, type Token } from './tokens.ts';

const MIDWAY = new Set([
  'only',
  'just',
  'necessarily',
  'sure',
  'really',
  'least',
  'more',
  'less',
  'longer',
  'matter',
  'doubt',
]);

/** Whether a run of tokens denies what it says. */
export function isNegated(tokens: readonly Token[]): boolean {
  return tokens.some(({ denies }) => denies);
}

const DENIED_WITHIN = 5;

/** The content words that each denial in a run of tokens falls on: the first ones after it. */
export function deniedStems(tokens: readonly Token[]): string[][] {
  const groups: string[][] = [];
  for (const [at, token] of tokens.entries()) {
    if (!token.denies || MIDWAY.has(tokens[at + 1]?.lower ?? '') || (at < 2 && tokens[at + 1]?.kind === 'mark'))
      continue;
    const after = tokens.slice(at + 1, at + 1 + DENIED_WITHIN);
    const stop = after.findIndex((next) => next.kind === 'mark' && next.lower !== '-');
    groups.push(
      (stop === -1 ? after : after.slice(0, stop))
        .filter(isContent)
        .map(({ stem }) => stem)
        .slice(0, 2),
    );
  }
  return groups.filter((group) => group.length > 0);
}

const YES = new Set(['yes', 'yea', 'yeah', 'yep']);
const NO = new Set(['no', 'nay', 'nope']);
const SUBJECTS = new Set(['i', 'you', 'he', 'she', 'it', 'we', 'they', 'there', 'this', 'that', 'these', 'those']);

/** The "yes" or "no" by which a text answers a question: it stands by itself, or a sentence of its own comes after it. */
export function answerOf(tokens: readonly Token[]): 'yes' | 'no' | undefined {
  for (const [at, { lower }] of tokens.entries()) {
    if (!YES.has(lower) && !NO.has(lower)) continue;
    const next = tokens[at + 1];
    if (next === undefined || next.kind === 'mark' || SUBJECTS.has(next.lower)) return YES.has(lower) ? 'yes' : 'no';
  }
  return undefined;
}

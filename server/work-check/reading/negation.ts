import type { Token } from './token.ts';

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
  // "Free of charge" says that there is none.
  for (const [at, { denies, lower }] of tokens.entries())
    if (denies || (lower === 'free' && /^(?:of|from)$/.test(tokens[at + 1]?.lower ?? ''))) return true;
  return false;
}

const DENIED_WITHIN = 5;
const DENIED_MAX = 2;

/** The content words that each denial in a run of tokens falls on: the first ones after it. */
export function deniedStems(tokens: readonly Token[]): string[][] {
  const groups: string[][] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!tokens[at]?.denies) continue;
    const next = tokens[at + 1];
    if (MIDWAY.has(next?.lower ?? '') || (at < 2 && next?.kind === 'mark')) continue;
    // "No restore test since 2024" says that there was one.
    if (tokens.slice(at + 1, at + 1 + DENIED_WITHIN).some(({ lower }) => lower === 'since')) continue;
    const group = deniedAfter(tokens, at);
    if (group.length > 0) groups.push(group);
  }
  return groups;
}

/** The denials of a run of tokens, without those of what it says elsewhere: "70 percent recycled; cap not recycled". */
export function onlyDenied(tokens: readonly Token[]): string[][] {
  const groups = deniedStems(tokens);
  const counts = (stem: string): number => tokens.filter((token) => token.stem === stem).length;
  const denials = (stem: string): number => groups.filter((group) => group.includes(stem)).length;
  return groups.filter((group) => !group.every((stem) => counts(stem) > denials(stem)));
}

function deniedAfter(tokens: readonly Token[], denial: number): string[] {
  const group: string[] = [];
  for (let at = denial + 1; at <= denial + DENIED_WITHIN && group.length < DENIED_MAX; at += 1) {
    const token = tokens[at];
    if (token === undefined || (token.kind === 'mark' && token.lower !== '-')) break;
    if (token.content) group.push(token.stem);
  }
  return group;
}

const YES = new Set(['yes', 'yea', 'yeah', 'yep']);
const NO = new Set(['no', 'nay', 'nope']);
const SUBJECTS = new Set(['i', 'you', 'he', 'she', 'it', 'we', 'they', 'there', 'this', 'that', 'these', 'those']);

/** The "yes" or "no" by which a text answers a question: it stands by itself, or a sentence of its own comes after it. */
export function answerOf(tokens: readonly Token[]): 'yes' | 'no' | undefined {
  for (let at = 0; at < tokens.length; at += 1) {
    const lower = tokens[at]?.lower ?? '';
    if (!YES.has(lower) && !NO.has(lower)) continue;
    const next = tokens[at + 1];
    if (next === undefined || next.kind === 'mark' || SUBJECTS.has(next.lower)) return YES.has(lower) ? 'yes' : 'no';
  }
  return undefined;
}

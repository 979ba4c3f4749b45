import { summarize } from '../assessors/summary.ts';
import { isContent, stem, tokenize } from '../reading/tokens.ts';
import { wordsOfKey } from '../statements.ts';
import { isLight } from '../support/everyday.ts';
import type { Kind, Reader } from './reader.ts';

/** Asks for more than that a field is right: what is left out, which records there are, what something is for. */
const ASKS_MORE =
  /\b(?:only|left (?:out|off)|not|no|never|null|empty|missing|every|each|all|listed|used|where|why|who|how)\b/i;

/** "Rooms are as last announced": the fields of structured work that a criterion names, against the evidence. */
const readFields: Reader = (criterion, { judged, work }) => {
  if (typeof work.value !== 'object' || ASKS_MORE.test(criterion)) return undefined;
  const content = tokenize(criterion).filter(isContent);
  const asked = new Set(content.filter((token) => !isLight(token.stem)).map((token) => token.stem));
  // A light word such as "currency" names only a field of that very name.
  const names = new Set(content.map(({ lower }) => lower));
  const named = judged.filter(({ statement: { record, place }, status }) => {
    if (record === undefined || status === 'not_checked' || !('path' in place)) return false;
    const parts = place.path.split('/').map(wordsOfKey);
    return names.has(parts.at(-1) ?? '') || parts.some((part) => part.split(' ').some((word) => asked.has(stem(word))));
  });
  return named.length === 0 ? undefined : summarize(named, judged);
};

export const fields: Kind = {
  name: 'fields',
  basis: 'statements',
  decides: 'whether the fields of structured work that are named agree with the evidence',
  known: /./s,
  read: readFields,
};

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
  // A light word such as "currency" still names a field of that very name.
  const asked = new Set(
    tokenize(criterion)
      .filter(isContent)
      .flatMap((token) => (isLight(token.stem) ? [token.lower] : [token.lower, token.stem])),
  );
  const named = judged.filter(({ statement: { record, place }, status }) => {
    if (record === undefined || status === 'not_checked' || !('path' in place)) return false;
    const words = place.path.split('/').flatMap((part) =>
      wordsOfKey(part)
        .split(' ')
        .flatMap((word) => [word, stem(word)]),
    );
    return words.length > 0 && words.some((word) => asked.has(word));
  });
  return named.length === 0 ? undefined : summarize(named, judged);
};

export const fields: Kind = {
  name: 'fields',
  decides: 'whether the fields of structured work that are named agree with the evidence',
  known: /./s,
  read: readFields,
};

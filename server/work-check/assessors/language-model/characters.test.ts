import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerAs, materialOf } from '../../../../sandbox/model/characters.ts';
import { type ModelServer, startModelServer } from '../../../../sandbox/model/server.ts';
import { editedPairs, lineOf, tryCharacter } from './characters-trial.ts';

const pairs = editedPairs(join(import.meta.dirname, '../../../../../shared/data/check/cases'));
const TIMEOUT_MS = 300_000;

/** A careful model: it knows which works of the pairs are correct, and answers the rest like `good`. */
function honest(prompt: string): string {
  const material = materialOf(prompt);
  const given = answerAs('good', material, new Map());
  const quotes = material.passages.filter(({ source }) => source === 'Notes').map(({ id }) => ({ passage: id, words: '' }));
  const borne = new Set(pairs.map(({ correct }) => correct.work_product));
  const statements = given.statements.map((answer, at) =>
    borne.has(material.statements[at]?.text ?? '') ? { ...answer, quotes, status: 'supported' } : answer,
  );
  return JSON.stringify({ ...given, statements });
}

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(0, honest);
});
afterAll(() => server.close());

describe('models of bad character, beside the embedded rules', () => {
  it('keeps edited works out and lets correct ones in when the model is careful', { timeout: TIMEOUT_MS }, async () => {
    const trial = await tryCharacter('scripted', server.url, pairs);
    console.log(lineOf(trial));
    expect(trial.slipped).toEqual([]);
    expect(trial.raised.length).toBeGreaterThan(0);
  });

  it.each([
    'lazy',
    'flattering',
    'inventing',
    'flipping',
    'obedient',
    'strict',
    'slow',
    'dying',
    'dying+flattering',
    'lazy+flattering',
    'flattering+flattering+lazy',
  ])('gets no edited work past as supported where the rules alone would not: %s', { timeout: TIMEOUT_MS }, async (character) => {
    const trial = await tryCharacter(character, server.url, pairs);
    console.log(lineOf(trial));
    expect(trial.slipped).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../../../sandbox/model/server.ts';
import { carefulAnswer, characters, editedPairs, lineOf, tryCharacter } from './characters-trial.ts';

/** The deep trial takes all of them. */
const SHARE = 10;
const pairs = editedPairs().filter((_, at) => at % SHARE === 0);

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(0, carefulAnswer);
});
afterAll(() => server.close());

describe('models beside the embedded rules', () => {
  it('let correct works in and keep edited ones out when they are careful', async () => {
    const trial = await tryCharacter('scripted', server.url, pairs);
    console.log(lineOf(trial));
    expect(trial.slipped).toEqual([]);
    expect(trial.raised.length).toBeGreaterThan(0);
  });

  it.each(characters)('get no edited work past as supported where the rules alone would not: %s', async (character) => {
    const trial = await tryCharacter(character, server.url, pairs);
    console.log(lineOf(trial));
    expect(trial.slipped).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { materialOf } from '../../sandbox/model/characters.ts';
import { type ModelServer, startModelServer } from '../../sandbox/model/server.ts';
import { type Answering, tryMalformedAnswers, tryMalformedInputs } from './malformed-trial.ts';

let server: ModelServer;
let answer: Answering = () => '';
const say = (next: Answering): void => {
  answer = next;
};
beforeAll(async () => {
  server = await startModelServer(0, (prompt) => {
    const { statements, criteria } = materialOf(prompt);
    return answer({ statements: statements.map(({ id }) => id), criteria: criteria.map(({ id }) => id) });
  });
});
afterAll(() => server.close());

describe('malformed material, at length', () => {
  it('delivers no report that breaks the contract over 10,000 answers of a model', async () => {
    const { delivered, refused } = await tryMalformedAnswers(10_000, server.url, say);
    expect(delivered + refused).toBe(10_000);
  });

  it('delivers no report that breaks the contract over 2,000 requests', async () => {
    const { delivered, refused } = await tryMalformedInputs(2_000);
    expect(delivered + refused).toBe(2_000);
  });
});

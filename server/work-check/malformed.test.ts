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

describe('malformed material', () => {
  it('delivers no report that breaks the contract, whatever a model answers', { timeout: 60_000 }, async () => {
    const outcomes = await tryMalformedAnswers(250, server.url, say);
    expect(outcomes.delivered).toBeGreaterThan(10);
    expect(outcomes.refused).toBeGreaterThan(10);
  });

  it('delivers no report that breaks the contract, whatever is sent', { timeout: 60_000 }, async () => {
    const outcomes = await tryMalformedInputs(250);
    expect(outcomes.delivered).toBeGreaterThan(10);
    expect(outcomes.refused).toBeGreaterThan(10);
  });
});

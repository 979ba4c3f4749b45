import { describe, expect, it } from 'vitest';
import { tryMalformedAnswers, tryMalformedInputs } from './malformed-trial.ts';

describe('malformed material', () => {
  it('delivers no report that breaks the contract, whatever a model answers', { timeout: 60_000 }, async () => {
    const outcomes = await tryMalformedAnswers(250);
    expect(outcomes.delivered).toBeGreaterThan(10);
    expect(outcomes.refused).toBeGreaterThan(10);
  });

  it('delivers no report that breaks the contract, whatever is sent', { timeout: 60_000 }, async () => {
    const outcomes = await tryMalformedInputs(250);
    expect(outcomes.delivered).toBeGreaterThan(10);
    expect(outcomes.refused).toBeGreaterThan(10);
  });
});

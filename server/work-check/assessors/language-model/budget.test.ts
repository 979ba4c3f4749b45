import { describe, expect, it } from 'vitest';
import type { AssessorModel } from '../../../configuration/assessor.ts';
import { costOf, openPurse } from './budget.ts';

/** 1, 0.10 and 5 USD for a million tokens. */
const price = { input: 100_000_000, cached: 10_000_000, output: 500_000_000 };
const priced: AssessorModel = { provider: 'openai', model: 'small', timeoutMs: 1, tokensMax: 100_000, price };

describe('what a check may cost', () => {
  it('bills kept input at its own price, and writing to the cache above the plain one', () => {
    expect(costOf(priced, { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 100 })).toBe(150_000);
    expect(costOf(priced, { input: 1_000, cacheRead: 900, cacheWrite: 0, output: 0 })).toBe(19_000);
    expect(costOf(priced, { input: 1_000, cacheRead: 0, cacheWrite: 1_000, output: 0 })).toBe(125_000);
    expect(costOf(priced, { input: 1, cacheRead: 1, cacheWrite: 0, output: 0 })).toBe(10);
  });

  it('sets aside the most that a call can cost, so that calls at the same time stay within the budget together', () => {
    const purse = openPurse([{ ...priced, budgetMicrocents: 1_000_000 }].slice(0, 1));
    expect(purse.spent()).toEqual([{ model: 'small', calls: 0, tokens: 0, microcents: 0 }]);
    const settings = { ...priced, budgetMicrocents: 1_000_000 };
    const own = openPurse([settings]);
    const first = own.reserve(settings, 1_000, 100);
    // 125,000 for the input leave 875,000 for 1,750 tokens of output; a second call finds nothing left.
    expect(first?.outputMax).toBe(1_750);
    expect(own.reserve(settings, 1_000, 100)).toBeUndefined();
    first?.settle({ input: 1_000, cacheRead: 0, cacheWrite: 0, output: 200 });
    expect(own.spent()).toEqual([{ model: 'small', calls: 1, tokens: 1_200, microcents: 200_000 }]);
    expect(own.reserve(settings, 1_000, 100)?.outputMax).toBe(1_350);
  });

  it('keeps what was set aside for a call that failed: its provider may bill it', () => {
    const settings = { ...priced, budgetMicrocents: 1_000_000 };
    const purse = openPurse([settings]);
    purse.reserve(settings, 1_000, 100);
    expect(purse.spent()[0]?.microcents).toBe(1_000_000);
  });

  it('bounds the tokens of each model without any price', () => {
    const settings: AssessorModel = { ...priced, price: undefined, tokensMax: 3_000 };
    const purse = openPurse([settings]);
    expect(purse.reserve(settings, 2_000, 100)?.outputMax).toBe(1_000);
    expect(purse.reserve(settings, 2_000, 100)).toBeUndefined();
    expect(purse.spent()[0]?.microcents).toBeNull();
  });
});

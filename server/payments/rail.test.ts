import { describe, expect, it } from 'vitest';
import type { Rail, Remedies } from './rail.ts';
import { x402Rail } from './x402/rail.ts';

/** Planted rails: the step `types` fails where one of them compiles. */
describe('a rail', () => {
  it('does not compile without a way to give money back', () => {
    const { refunds: _refunds, ...withoutRefunds } = x402Rail(null);
    // @ts-expect-error it has no refunds
    const rail: Rail = withoutRefunds;
    expect(rail.refunds).toBeUndefined();
  });

  it('does not compile without a remedy for each way that a collection becomes no charge', () => {
    // @ts-expect-error it says nothing of a charge that is waived
    const remedies: Remedies = { undelivered: 'refund' };
    expect(remedies.waived).toBeUndefined();
  });

  it('answers for what it has written down also where it is not configured', () => {
    const rail = x402Rail(null);
    expect([rail.isSetUp, rail.seemsUp(new Date(0)), rail.networks]).toEqual([false, false, []]);
    expect(Object.keys(rail.refunds)).toContain('owe');
  });
});

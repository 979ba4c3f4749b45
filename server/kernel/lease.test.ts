import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { leaseSeconds, whileHeld } from './lease.ts';

describe('a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is renewed more than twice as often as it ends, as long as the work takes and no longer', async () => {
    const renewals: number[] = [];
    const renew = async () => {
      renewals.push(Date.now());
    };
    const begun = Date.now();
    const work = whileHeld(
      renew,
      () => new Promise<string>((done) => setTimeout(done, 10 * leaseSeconds * 1000, 'done')),
    );
    await vi.advanceTimersByTimeAsync(100 * leaseSeconds * 1000);
    expect(await work).toBe('done');
    const gaps = renewals.map((at, index) => at - (renewals[index - 1] ?? begun));
    expect(Math.max(...gaps)).toBeLessThan((leaseSeconds * 1000) / 2);
    expect(renewals.length).toBeGreaterThan(20);
    expect(renewals.at(-1)).toBeLessThanOrEqual(begun + 10 * leaseSeconds * 1000);
  });

  it('that cannot be renewed does not end the work', async () => {
    const work = whileHeld(
      () => Promise.reject(new Error('the database is away')),
      () => new Promise<string>((done) => setTimeout(done, leaseSeconds * 1000, 'done')),
    );
    await vi.advanceTimersByTimeAsync(leaseSeconds * 1000);
    expect(await work).toBe('done');
  });

  it('is let go by work that fails', async () => {
    const renew = vi.fn(async () => {});
    await expect(whileHeld(renew, () => Promise.reject(new Error('it broke')))).rejects.toThrow('it broke');
    await vi.advanceTimersByTimeAsync(10 * leaseSeconds * 1000);
    expect(renew).not.toHaveBeenCalled();
  });
});

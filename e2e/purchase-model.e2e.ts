import { describe, expect, it } from 'vitest';
import { tryPurchases } from './purchase-model/trial.ts';
import { rarerThan } from './support/part.ts';
import { startService, withCard } from './support/service.ts';

/** The same runs every time, which take every step; the long trial takes new ones. */
const seed = 20_261_121;
const byCard: Parameters<typeof startService>[0] = async (sandbox) => ({
  ...(await withCard(sandbox)),
  WAIVERS_MAX: '0',
});
/** A hostile chain costs several times what the rest of a run does. */
const hostileOneIn = 6;
const services = await Promise.all([startService(byCard), startService(byCard)]);

describe('a purchase, whatever its agent, member, worker, clock and provider do,', () => {
  it('stands after every step where the model says, and takes every step there is', {
    timeout: 1_800_000,
  }, async () => {
    expect(rarerThan(1, await tryPurchases(services, 300, { seed, hostileOneIn }))).toEqual([]);
  });
});

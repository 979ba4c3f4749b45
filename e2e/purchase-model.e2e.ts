import { describe, expect, it } from 'vitest';
import { price } from '../server/service/terms.ts';
import { Begin, Cancel, Pay } from './purchase-model/buyer.ts';
import { ChangeGrant } from './purchase-model/customer.ts';
import { Next } from './purchase-model/repertoire.ts';
import { tryCommands, tryPurchases } from './purchase-model/trial.ts';
import { rarerThan } from './support/part.ts';
import { startService, withCard } from './support/service.ts';

/** Fixed seeds; the long trial uses new ones, and takes every step a hundred times. */
const seed = 7;
const byCard: Parameters<typeof startService>[0] = async (sandbox) => ({
  ...(await withCard(sandbox)),
  REMEDIES_MAX: '0',
});
/** A hostile chain costs several times as much as the rest of a run. */
const hostileOneIn = 4;
const services = await Promise.all([startService(byCard), startService(byCard)]);

describe('a purchase, whatever its agent, member, worker, clock and provider do,', () => {
  it('stands after every step where the model says, and takes four in five of all steps', {
    timeout: 1_800_000,
  }, async () => {
    const taken = await tryPurchases(services, 24, { seed, hostileOneIn });
    expect(rarerThan(1, taken).length, 'steps not taken').toBeLessThan(Object.keys(taken).length / 5);
  });

  // Chance produces this about once in a thousand runs.
  it('is paid in the way that is listed when it was authorized without room', async () => {
    const creditThere = [new Pay(0, 0), new Cancel(0)];
    const roomFull = [new Begin(), new ChangeGrant({ daily: 2 * Number(price) })];
    await tryCommands(services[0], [...creditThere, ...roomFull, new Begin(), new Next(0, 1)]);
  });
});

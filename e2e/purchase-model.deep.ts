import { describe, expect, it } from 'vitest';
import { tryPurchases } from './purchase-model/trial.ts';
import { chosenPart, chosenSeed, rarerThan, shareOf, sumOfParts } from './support/part.ts';
import { startService, withCard } from './support/service.ts';

const part = chosenPart();
/** Some lanes wait for their chains while others use the machine. */
const lanes = 4;
const byCard: Parameters<typeof startService>[0] = async (sandbox) => ({
  ...(await withCard(sandbox)),
  REMEDIES_MAX: '0',
});
const services = await Promise.all(Array.from({ length: lanes }, () => startService(byCard)));

describe('a purchase, whatever its agent, member, worker, clock and provider do,', () => {
  it('stands 10,000 times where the model says, and takes every step a hundred times', async () => {
    const taken = await tryPurchases(services, shareOf(10_000, part), {
      seed: chosenSeed(),
      hostileOneIn: 2,
    });
    const ofAll = sumOfParts('purchase-model', part, taken);
    if (!ofAll) return;
    console.log('All pieces together:', JSON.stringify(ofAll));
    expect(rarerThan(100, ofAll)).toEqual([]);
  });
});

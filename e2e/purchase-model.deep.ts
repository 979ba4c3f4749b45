import { describe, it } from 'vitest';
import { tryPurchases } from './purchase-model/trial.ts';
import { chosenPart, shareOf } from './support/part.ts';
import { startService } from './support/service.ts';

const part = chosenPart();
/** New runs every time, unless one asks for those of `TRIAL_SEED`. */
const seed = Number(process.env.TRIAL_SEED ?? Date.now() % 2 ** 31);
const lanes = part.of === 1 ? 4 : 2;
const services = await Promise.all(Array.from({ length: lanes }, () => startService()));

describe('a purchase, whatever its agent, member, worker, clock and provider do,', () => {
  it('stands 10,000 times where the model says, and takes every step a hundred times', () =>
    tryPurchases(services, shareOf(10_000, part), shareOf(100, part), seed));
});

import { describe, it } from 'vitest';
import { tryPurchases } from './purchase-model/trial.ts';
import { startService } from './support/service.ts';

const services = await Promise.all(Array.from({ length: 4 }, () => startService()));

describe('a purchase, whatever its agent, member, worker, clock and provider do,', () => {
  it('stands 10,000 times where the model says, and takes every step a hundred times', () =>
    tryPurchases(services, 10_000, 100, Date.now() % 2 ** 31));
});

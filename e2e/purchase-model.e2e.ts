import { describe, it } from 'vitest';
import { tryPurchases } from './purchase-model/trial.ts';
import { startService } from './support/service.ts';

const services = await Promise.all([startService(), startService()]);

describe('a purchase, whatever its agent, member, worker, clock and provider do,', () => {
  it('stands after every step where the model says, and takes every step there is', { timeout: 900_000 }, () =>
    tryPurchases(services, 300, 1),
  );
});

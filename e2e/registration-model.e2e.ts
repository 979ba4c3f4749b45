import { describe, expect, it } from 'vitest';
import { tryRegistrations } from './registration-model/trial.ts';
import { rarerThan } from './support/part.ts';
import { startService } from './support/service.ts';

/** Fixed seeds that get every answer; the long trial uses new ones. */
const seed = 20_261_121;
const services = await Promise.all([startService(), startService()]);

describe('registrations, whatever agents, customer, member, worker and clock do,', () => {
  it('are answered as the model says at every step, with every answer there is', { timeout: 900_000 }, async () => {
    expect(rarerThan(1, await tryRegistrations(services, 100, seed))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { tryRegistrations } from './registration-model/trial.ts';
import { chosenPart, chosenSeed, rarerThan, shareOf, sumOfParts } from './support/part.ts';
import { startService } from './support/service.ts';

const part = chosenPart();
const lanes = 4;
const services = await Promise.all(Array.from({ length: lanes }, () => startService()));

describe('registrations, whatever agents, customer, member, worker and clock do,', () => {
  it('are answered 2,000 times as the model says, with every answer a hundred times', async () => {
    const given = await tryRegistrations(services, shareOf(2_000, part), chosenSeed());
    const ofAll = sumOfParts('registration-model', part, given);
    if (ofAll) expect(rarerThan(100, ofAll)).toEqual([]);
  });
});

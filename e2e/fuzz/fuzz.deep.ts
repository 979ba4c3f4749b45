import { describe, expect, it } from 'vitest';
import { chosenPart, shareOf } from '../support/part.ts';
import { startService } from '../support/service.ts';
import { firstSeed, fuzz, growthMax } from './fuzz.ts';

const service = await startService();
const hours = 3;
const part = chosenPart();
const runs = shareOf(50_000, part);
/** A run takes two seeds; the sample in `npm test` uses the first two. */
const seed = firstSeed + 2 * part.number;

describe('whatever is sent to an operation, at length', () => {
  it('is answered as the OpenAPI document says, and forgotten', { timeout: hours * 3_600_000 }, async () => {
    const { reached, growth } = await fuzz(service, runs, seed);
    console.log(`${runs} of each operation; growth in bytes`, growth, 'reached', reached);
    // Requests refused at the door find nothing.
    expect(Object.entries(reached).filter(([, times]) => times < runs / 20)).toEqual([]);
    expect(growth.heapUsed).toBeLessThan(growthMax.heapUsed);
    expect(growth.rss).toBeLessThan(growthMax.rss);
  });
});

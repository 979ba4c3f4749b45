import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { fuzz, growthMax } from './fuzz.ts';

const service = await startService();
const runs = 40;

describe('whatever is sent to an operation', () => {
  it('is answered as the OpenAPI document says, and forgotten', { timeout: 1_800_000 }, async () => {
    const { reached, growth } = await fuzz(service, runs);
    // Requests refused at the door find nothing.
    expect(Object.entries(reached).filter(([, times]) => times < runs / 20)).toEqual([]);
    expect(growth.heapUsed).toBeLessThan(growthMax.heapUsed);
    expect(growth.rss).toBeLessThan(growthMax.rss);
  });
});

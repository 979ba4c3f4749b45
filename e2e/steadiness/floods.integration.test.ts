import { afterAll, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { floods, leftBehind, openShore, weather } from './floods.ts';

const service = await startService({ UNPAID_CONTENT_MIB_PRINCIPAL: '8', UNPAID_CONTENT_MIB_ORIGIN: '64' });
const shore = await openShore(service);
afterAll(() => shore.leave());

it.each(Object.entries(floods))(
  '%s keep nobody from buying, and leave nothing behind',
  { timeout: 120_000 },
  async (_, flood) => {
    const { asked, descriptors, heapBytes } = await weather(shore, flood, { purchases: 2, rounds: 1, atOnce: 6 });
    expect(asked).toBeGreaterThan(0);
    expect(descriptors).toBeLessThan(leftBehind.descriptors);
    expect(heapBytes).toBeLessThan(leftBehind.heapBytes);
  },
);

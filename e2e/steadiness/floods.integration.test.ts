import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { floods, weather } from './floods.ts';

const service = await startService({ UNPAID_CONTENT_MIB_PRINCIPAL: '8', UNPAID_CONTENT_MIB_ORIGIN: '64' });

/** What a flood may leave behind: connections kept for a minute, two for each of its 40 readers, and compiled code. */
const left = { descriptors: 100, heapBytes: 24 * 2 ** 20 };

it.each(Object.entries(floods))(
  '%s keep nobody from buying, and leave nothing behind',
  { timeout: 120_000 },
  async (_, flood) => {
    const { descriptors, heapBytes } = await weather(service, flood, 3);
    expect(descriptors).toBeLessThan(left.descriptors);
    expect(heapBytes).toBeLessThan(left.heapBytes);
  },
);

import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { floods, weather } from './floods.ts';

const service = await startService({ UNPAID_CONTENT_MIB_PRINCIPAL: '8', UNPAID_CONTENT_MIB_ORIGIN: '64' });

it.each(Object.entries(floods))('beside %s a purchase takes three times as long at most', async (name, flood) => {
  const { slower, descriptors, heapBytes } = await weather(service, flood, 60);
  console.log(`${name}: ${slower.toFixed(2)} times as long, ${descriptors} descriptors and ${heapBytes} bytes more`);
  expect(slower).toBeLessThan(3);
  expect(descriptors).toBeLessThan(100);
  expect(heapBytes).toBeLessThan(24 * 2 ** 20);
});

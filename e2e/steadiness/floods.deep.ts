import { afterAll, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { floods, leftBehind, openShore, weather } from './floods.ts';

const service = await startService({ UNPAID_CONTENT_MIB_PRINCIPAL: '8', UNPAID_CONTENT_MIB_ORIGIN: '64' });
const shore = await openShore(service);
afterAll(() => shore.leave());

it.each(Object.entries(floods))('beside %s a purchase takes three times as long at most', async (name, flood) => {
  const { usualMs, slower, middleSlower, asked, ...rest } = await weather(shore, flood, {
    purchases: 10,
    rounds: 6,
    atOnce: 10,
  });
  const { aSecond, descriptors, heapBytes } = rest;
  console.log(
    `${name}: ${slower.toFixed(2)} times the usual ${usualMs.toFixed(0)} ms, ${middleSlower.toFixed(2)} the middle one,`,
    `beside ${aSecond.toFixed(0)} turns a second,`,
    `${descriptors} descriptors and ${heapBytes} bytes more`,
  );
  expect(asked).toBeGreaterThan(0);
  expect(slower).toBeLessThan(3);
  expect(descriptors).toBeLessThan(leftBehind.descriptors);
  expect(heapBytes).toBeLessThan(leftBehind.heapBytes);
});

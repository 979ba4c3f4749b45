import { afterAll, expect, it } from 'vitest';
import { Failover } from './failover.ts';

let failover: Failover | undefined;
afterAll(() => failover?.close());

it('purchases go on when the primary is lost, and nothing acknowledged is', { timeout: 180_000 }, async () => {
  failover = await Failover.open();
  const { goneOnMs } = await failover.losePrimary();
  expect(goneOnMs).toBeGreaterThan(0);
  expect(failover.later, 'answers 503 with Retry-After').toBeGreaterThan(0);
  await failover.end();
});

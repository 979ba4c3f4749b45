import { beforeAll, expect, it } from 'vitest';
import { stripeOf } from '../../../e2e/support/card.ts';
import { allOrders, endsOf } from '../../../e2e/support/card-orders.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
beforeAll(() => stripeOf(service).webhookFault({ mode: 'lose', times: 'always' }));

it('all 720 orders of what a provider announces, each of it twice, end the same', async () => {
  const started = performance.now();
  expect(await endsOf(service, allOrders)).toEqual({ 'queued collected': 720 });
  console.log(`720 orders in ${Math.round((performance.now() - started) / 1_000)} s`);
});

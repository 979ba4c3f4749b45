import { beforeAll, describe, expect, it } from 'vitest';
import { stripeOf } from '../../../e2e/support/card.ts';
import { allOrders, endsOf } from '../../../e2e/support/card-orders.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
beforeAll(() => stripeOf(service).webhookFault({ mode: 'lose', times: 'always' }));

const inOrder = allOrders[0] ?? [];
/** Both extremes, and forty at random. */
const sample = [
  inOrder,
  inOrder.toReversed(),
  [...inOrder.slice(2), ...inOrder.slice(0, 2)],
  ...Array.from({ length: 40 }, () => allOrders[Math.floor(Math.random() * allOrders.length)] ?? inOrder),
];

describe('what a provider announces', () => {
  it('ends the same in whatever order it comes, each of it twice', async () => {
    expect(await endsOf(service, sample)).toEqual({ 'queued collected': sample.length });
  }, 120_000);

  it('ends the same when all of it is missed, and caught up with', async () => {
    expect(await endsOf(service, [[], [], []])).toEqual({ 'queued collected': 3 });
  });
});

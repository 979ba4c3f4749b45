import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, expect, it } from 'vitest';
import { controlClient } from '../control-client.ts';
import { onFreePort } from '../ports.ts';
import { type Sandbox, startSandbox } from '../start.ts';
import { chargeSaved, customerWith } from './trial-seller.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(dataDir: string) {
  const sandbox: Sandbox = await onFreePort((port) => startSandbox({ port, dataDir }));
  cleanups.push(sandbox.stop);
  const { hostname: host, port } = new URL(sandbox.stripe.url);
  const stripe = new Stripe(sandbox.stripe.secretKey, { host, port, protocol: 'http', maxNetworkRetries: 0 });
  return { pid: sandbox.pid, stripe, control: controlClient(sandbox.controlUrl).stripe };
}

it('has its books, its keys, its clock and what it had still to send after it is killed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  cleanups.push(() => rmSync(dataDir, { recursive: true }));
  const before = await start(dataDir);
  await before.control.advance(1_000_000);
  const paid = await chargeSaved(before.stripe, await customerWith(before.stripe));
  const key = { idempotencyKey: 'refund:job_1' };
  const refund = await before.stripe.refunds.create({ payment_intent: paid.id }, key);
  // Nobody listens for events, so all of them wait.
  const { charges, refunds, movements, balance } = await before.control.books();
  process.kill(before.pid, 'SIGKILL');

  const after = await start(dataDir);
  expect(await after.control.books()).toMatchObject({ charges, refunds, movements, balance });
  const replayed = await after.stripe.refunds.create({ payment_intent: paid.id }, key);
  expect([replayed.id, replayed.lastResponse.headers['idempotent-replayed']]).toEqual([refund.id, 'true']);
  expect(replayed.created).toBeGreaterThan(Date.now() / 1_000 + 900_000);
  expect((await after.control.deliveries()).map(({ type, state }) => [type, state])).toEqual(
    [
      'customer.created',
      'payment_method.attached',
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'refund.created',
      'charge.refunded',
    ]
      .reverse()
      .map((type) => [type, 'waiting']),
  );
});

import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { awaitSurroundings, lookAround } from '../../environment-faults.ts';
import { accountInUse } from './account.ts';

const service = await startService(withCard);
const { db, configuration } = service.runtime;
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A Stripe whose key is of this account; null where the key may not read it. */
async function stripeOf(account: string | null): Promise<string> {
  const server = createServer(({ url }, res) => {
    const isRefused = url?.startsWith('/v1/account') && account === null;
    res.writeHead(isRefused ? 403 : 200, { 'content-type': 'application/json' });
    const usd = [{ amount: 0, currency: 'usd' }];
    const refusal = { error: { type: 'invalid_request_error', message: 'The key lacks the permission.' } };
    const balance = { object: 'balance', livemode: true, available: usd, pending: usd };
    const found = url?.startsWith('/v1/account') ? { object: 'account', id: account } : balance;
    res.end(JSON.stringify(isRefused ? refusal : found));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The settings of production, with a key of this account. */
async function withKeyOf(account: string | null) {
  const card = {
    ...configuration.card,
    secretKey: 'rk_live_x',
    mode: 'live' as const,
    apiUrl: await stripeOf(account),
  };
  return { ...configuration, x402: null, environment: 'live' as const, card };
}

const command = path.resolve(import.meta.dirname, '../../../commands/card-account.ts');
const accepting = (...words: string[]) =>
  promisify(execFile)(process.execPath, [command, ...words], { env: { ...process.env, ...service.environment } });
const ours = 'acct_1LocalSandboxOnly';

describe('a key of Stripe', () => {
  it('must be of the account of the first start, unless an operator accepts another', async () => {
    expect((await lookAround(await withKeyOf('acct_first'))).wrong).toEqual([]);
    // A check of the environment changes nothing, and a key that may not read its account says nothing.
    await awaitSurroundings(await withKeyOf(null));
    expect(await accountInUse(db)).toBeUndefined();
    await awaitSurroundings(await withKeyOf('acct_first'));
    await awaitSurroundings(await withKeyOf('acct_first'));
    await awaitSurroundings(await withKeyOf(null));
    expect(await accountInUse(db)).toBe('acct_first');

    const refused = /of the account acct_other at Stripe.* acct_first.*npm run card-account -- acct_other/;
    expect((await lookAround(await withKeyOf('acct_other'))).wrong).toEqual([expect.stringMatching(refused)]);
    await expect(awaitSurroundings(await withKeyOf('acct_other'))).rejects.toThrow(refused);

    await expect(accepting('acct_other', 'We moved.')).rejects.toMatchObject({
      stderr: expect.stringContaining(`STRIPE_SECRET_KEY is of ${ours}`),
    });
    expect((await accepting(ours, 'We', 'moved.')).stdout).toContain(ours);
    expect(await accountInUse(db)).toBe(ours);
    await awaitSurroundings(await withKeyOf(ours));
    await expect(awaitSurroundings(await withKeyOf('acct_first'))).rejects.toThrow('acct_first');
  });
});

import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { settlementsOf } from './agent.ts';
import type { Service } from './service.ts';
import { doors, lossy, Stranger } from './stranger.ts';

async function fundedWallet({ sandbox }: Service): Promise<PrivateKeyAccount> {
  const response = await fetch(`${sandbox.controlUrl}/wallets`, { method: 'POST' });
  return privateKeyToAccount(((await response.json()) as { private_key: `0x${string}` }).private_key);
}

/** As many purchases as wanted, over each door in turn, with 30% of what is sent lost: one job and one charge for each. */
export async function buyWithLosses(service: Service, { wallets, each }: { wallets: number; each: number }) {
  const discovery = `${service.baseUrl}/.well-known/svc`;
  const jobs: string[] = [];
  const charges: string[] = [];
  await Promise.all(
    Array.from({ length: wallets }, async (_, at) => {
      const wallet = await fundedWallet(service);
      const stranger = new Stranger(discovery, wallet, lossy(at + 1));
      for (let count = 0; count < each; count += 1)
        jobs.push(await stranger.buy(doors[(at + count) % doors.length] ?? 'rest'));
      for (const { transactions } of await settlementsOf(service.sandbox.controlUrl, wallet.address.toLowerCase()))
        charges.push(...transactions);
    }),
  );
  const { rows } = await service.database.pool.query(
    `select count(*)::int as jobs, count(*) filter (where payment_state = 'collected')::int as collected from jobs`,
  );
  expect(rows[0]).toEqual({ jobs: wallets * each, collected: wallets * each });
  expect([new Set(jobs).size, new Set(charges).size]).toEqual([wallets * each, wallets * each]);
}

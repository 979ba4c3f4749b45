import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import pg from 'pg';
import { sandboxedEnvironment } from '../commands/environment.ts';
import { startStack } from '../commands/stack.ts';
import { Agent } from '../e2e/support/agent.ts';
import type { ChainDescription } from '../sandbox/chain/routes.ts';
import type { Ports } from '../sandbox/ports.ts';
import { round, spread, table } from './measure.ts';
import { startPeer, startService } from './service.ts';

const network = 'eip155:84532';

/** Payments per second over the sandbox's chain: the service's pay step against a route that `@x402/express` guards. */
export async function benchX402(
  ports: Ports,
  dataDir: string,
  effort: { rounds: number; payments: number },
): Promise<string> {
  const folder = path.resolve(dataDir);
  const stack = await startStack({ ports, dataDir: folder, mode: 'production' });
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
  const facilitatorUrl = `http://127.0.0.1:${ports.facilitator}`;
  const payTo = `0x${'33'.repeat(20)}`;
  const peer = await startPeer('express-seller.ts', String(ports.model), facilitatorUrl, payTo);
  // What is measured is the payment: the check that it buys would take a core from both sides.
  await Promise.all([stack.worker.stop(), stack.app.stop()]);
  const env = {
    ...sandboxedEnvironment(ports, folder, stack.databaseUrl),
    X402_RPC_URLS: await nodes(stack.sandboxUrl),
  };
  const server = await startService(env, { worker: false });
  try {
    const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    await pool.query(`update grants set daily_limit_microcents = ${10n ** 18n}`);
    // A wallet of the sandbox holds 1,000 USDC, which is 200 payments.
    const payExpress = async (clients: number) => {
      const paying = await payers(stack.sandboxUrl, clients);
      return rate(effort.payments, clients, (client) =>
        must(() => paying[client]?.(`http://127.0.0.1:${ports.model}/paid`, { method: 'POST' })),
      );
    };
    const payService = async (clients: number) => {
      const jobs: string[] = [];
      while (jobs.length < effort.payments) jobs.push(await agent.authorizedJob());
      const paying = await payers(stack.sandboxUrl, clients);
      return rate(effort.payments, clients, (client) => {
        const job = jobs.pop();
        return must(() =>
          paying[client]?.(`${stack.baseUrl}/api/agent/v1/jobs/${job}/payments`, {
            method: 'POST',
            headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ rail: 'x402', network, idempotency_key: randomUUID() }),
          }),
        );
      });
    };
    // Until a process has done this for a while it compiles what it runs.
    await payExpress(8);
    await payService(8);
    const rows: string[][] = [];
    for (const clients of [1, 8]) {
      const figures = { express: [] as number[], service: [] as number[] };
      for (let turn = 0; turn < effort.rounds; turn += 1) {
        figures.express.push(await payExpress(clients));
        figures.service.push(await payService(clients));
      }
      const [express, service] = [spread(figures.express), spread(figures.service)];
      rows.push([String(clients), express.text, service.text, round(service.median / express.median)]);
    }
    return [
      '## Payments over x402, real signatures and chain',
      table(['clients', '@x402/express /s', 'service /s', 'ratio'], rows),
    ].join('\n');
  } finally {
    peer.stop();
    await server.stop();
    await pool.end();
    await stack.stop();
  }
}

/** The chains as `X402_RPC_URLS` names them, without the hop through the address that can fail: no peer takes it. */
async function nodes(sandboxUrl: string): Promise<string> {
  const chains = (await (await fetch(`${sandboxUrl}/chains`)).json()) as ChainDescription[];
  return chains.map(({ chain_id, node_url }) => `${chain_id}=${node_url}`).join(',');
}

type Pay = ReturnType<typeof wrapFetchWithPayment>;

async function payers(sandboxUrl: string, count: number): Promise<Pay[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`${sandboxUrl}/wallets`, { method: 'POST' });
      const { private_key } = (await response.json()) as { private_key: `0x${string}` };
      const client = new x402Client().register(network, new ExactEvmScheme(new Agent('', private_key).wallet));
      client.setSpendControls({ maxAmountPerPayment: '$10' });
      return wrapFetchWithPayment(fetch, client);
    }),
  );
}

/**
 * Pays; what the seller refuses, and what it hangs up on, is tried again, and its time counts. A third refusal fails
 * the run.
 */
async function must(send: () => Promise<Response> | undefined): Promise<void> {
  let refusal = '';
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      const response = await send();
      const body = await response?.text();
      if (response?.status === 200) return;
      refusal = `${response?.status} ${body}`;
    } catch (error) {
      refusal = String(error);
    }
  }
  throw new Error(`not paid: ${refusal}`);
}

async function rate(payments: number, clients: number, pay: (client: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let left = payments;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (left > 0) {
        left -= 1;
        await pay(client);
      }
    }),
  );
  return payments / ((performance.now() - startedAt) / 1000);
}

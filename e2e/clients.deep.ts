import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from './support/agent.ts';
import { buyingByCard, listen, payAt } from './support/card.ts';
import { installClients } from './support/installed-clients.ts';
import { startOwner } from './support/owner.ts';
import { startService, withCard } from './support/service.ts';

/** The clients by their scripts in `clients/package.json`, and what the machine must have for them. */
const clients: [client: string, needs: string][] = [
  ['inspector', 'node'],
  ['inspector-2026', 'node'],
  ['mcp-remote', 'node'],
  ['openapi-fetch', 'node'],
  ['hey-api', 'node'],
  ['java', 'java'],
  ['python', 'python3'],
  ['curl', 'curl'],
];

const service = await startService(withCard);
/** The agent that a customer registered for each client, to buy by card. */
const registered = new Map<string, Agent>();
const run = installClients();
beforeAll(async () => {
  await listen(service);
  // The worker takes the letters that a registration waits for.
  for (const [client] of clients) registered.set(client, (await buyingByCard(service)).agent);
  await service.startWorker().ready;
});

function demandProgram(name: string): void {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error(`${name} is not on this machine, so nothing is known of it: install it.`);
  }
}

describe.each(clients)('the stock client %s', (client, needs) => {
  it.each(['card', 'x402'] as const)('buys a check by %s, reads and accepts it', async (rail) => {
    demandProgram(needs);
    const agent = (rail === 'card' && registered.get(client)) || (await Agent.arrive(service));
    const owner = await startOwner(agent, (link) => payAt(service, agent, link));
    const env = { BASE_URL: service.baseUrl, TOKEN: agent.token, RAIL: rail, OWNER_URL: owner.url };
    const { out, err, code } = await run(client, env);
    owner.stop();
    const { jobs } = (await agent.get('/api/agent/v1/jobs')).body;
    const report = await agent.get(`/api/agent/v1/jobs/${jobs[0]?.job_key}/report`);
    expect([code, out], err).toEqual([undefined, `The verdict is ${report.body.verdict}.\n`]);
    expect(jobs).toMatchObject([{ state: 'accepted', payment_state: 'collected' }]);
    const receipt = await agent.get(`/api/agent/v1/jobs/${jobs[0].job_key}/receipt`);
    expect(receipt.body).toMatchObject({ collection: { rail }, charge: { state: 'final' } });
  });
});

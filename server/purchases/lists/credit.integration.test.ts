import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { connectedAgent } from '../../../e2e/support/customer.ts';
import { Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';

const service = await startService();
const path = '/api/agent/v1/credit';
const price = 500_000_000;
const creditOf = async (client: Pick<Agent, 'get'>, query = '') => (await client.get(path + query)).body;

/** A purchase that is canceled after its payment: credit comes back. */
async function credited(agent: Agent): Promise<string> {
  const jobKey = await agent.paidJob();
  await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
  return jobKey;
}

async function spent(agent: Agent): Promise<string> {
  const jobKey = await agent.authorizedJob();
  const body = { rail: 'x402', method: 'wallet_credit', idempotency_key: jobKey };
  expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, body)).status).toBe(200);
  return jobKey;
}

describe('credit', () => {
  it('of a wallet is read with how it came and went, and the balance after each', async () => {
    const wallet = await Agent.arrive(service);
    expect(await creditOf(wallet)).toEqual({ balance_microcents: 0, changes: [], next_after: null });
    const [came, went] = [await credited(wallet), await spent(wallet)];
    const { balance_microcents, changes } = await creditOf(wallet);
    expect(balance_microcents).toBe(0);
    expect(changes).toMatchObject([
      { event: 'credit_spent', amount_microcents: -price, balance_microcents: 0, job_key: went },
      {
        event: 'credited',
        amount_microcents: price,
        balance_microcents: price,
        job_key: came,
        bought_by: { kind: 'wallet', agent_key: wallet.wallet.address.toLowerCase() },
      },
    ]);
  });

  it('of an account spans its agents, and is seen by nobody else', async () => {
    const { agent: connected, customer } = await connectedAgent(service);
    const agent = await Agent.withWallet(service);
    agent.token = connected.token;
    const member = await Member.of(service, agent, customer.email);
    const jobKey = await credited(agent);
    expect(await creditOf(member)).toEqual(await creditOf(agent));
    expect(await creditOf(member)).toMatchObject({ balance_microcents: price, changes: [{ job_key: jobKey }] });
    const stranger = await Agent.arrive(service);
    expect((await creditOf(stranger)).changes).toEqual([]);
    const [{ change_key }] = (await creditOf(agent)).changes;
    const peek = await stranger.get(`${path}?after=${encodeURIComponent(change_key)}`);
    expect([peek.status, peek.body.code]).toEqual([404, 'not_found']);
  });

  it('is walked by page without a gap', async () => {
    const wallet = await Agent.arrive(service);
    const jobs = [await credited(wallet), await spent(wallet)];
    jobs.push(await spent(await againCredited(wallet, jobs)));
    const whole = (await creditOf(wallet)).changes;
    const walked = [];
    for (let after: string | null = ''; after !== null; ) {
      const page = await creditOf(wallet, `?limit=1${after ? `&after=${encodeURIComponent(after)}` : ''}`);
      walked.push(...page.changes);
      after = page.next_after;
    }
    expect(walked).toEqual(whole);
    expect(walked.map(({ balance_microcents }) => balance_microcents)).toEqual([0, price, 0, price]);
  });
});

/** What credit paid comes back as credit. */
async function againCredited(wallet: Agent, jobs: string[]): Promise<Agent> {
  await wallet.post(`/api/agent/v1/jobs/${jobs.at(-1)}/cancel`);
  return wallet;
}

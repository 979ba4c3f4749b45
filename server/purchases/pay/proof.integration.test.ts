import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { chainHand, signedIn } from '../../../e2e/support/chain-hand.ts';
import { startService } from '../../../e2e/support/service.ts';
import { controlClient } from '../../../sandbox/control-client.ts';
import { readUnsettled } from '../rounds/unsettled.ts';

const service = await startService();
const { sandbox } = service;
const { pool } = service.database;
const control = controlClient(sandbox.controlUrl);
const [chain, network] = [84532, 'eip155:84532'] as const;
const [second, secondNetwork] = [421614, 'eip155:421614'] as const;
const hand = await chainHand(sandbox.controlUrl, chain);
const secondHand = await chainHand(sandbox.controlUrl, second);

const price = 5_000_000n;
const payTo = sandbox.payTo as `0x${string}`;
const givenBack = (agent: Agent, on: number = chain) =>
  control.transfers(on, { from: payTo, to: agent.wallet.address });
const stateOf = async (agent: Agent, jobKey: string) => {
  const { state, payment_state, charge_state } = (await agent.job(jobKey)).body;
  return [state, payment_state, charge_state];
};

/** The output of an operator's command. */
async function money(...words: string[]): Promise<string> {
  const command = path.resolve(import.meta.dirname, '../../../commands/money.ts');
  const env = { ...process.env, DATABASE_URL: service.database.url };
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...words], { env });
  return stdout;
}

afterEach(async () => {
  await control.clearFacilitatorFaults();
  await control.clearChainFaults(chain);
  await control.clearChainFaults(second);
});

/** The worker's look-ups in the minutes after a collection: does the chain still hold it? */
async function looksAgain(times = 5): Promise<void> {
  for (let look = 1; look <= times; look += 1) {
    service.advanceClock(61);
    await service.sweep();
  }
  service.advanceClock(-61 * times);
}

describe('one transfer in a transaction of many', () => {
  it('pays for one job: the transfers of nothing beside it pay for none', async () => {
    const agent = await Agent.arrive(service);
    const jobs = [await agent.authorizedJob(), await agent.authorizedJob(), await agent.authorizedJob()];
    const headers = [];
    for (const jobKey of jobs) headers.push(await agent.signPayment(jobKey, network));
    const [real, ...others] = headers.map(signedIn);
    if (!real) throw new Error('nothing was signed');
    // The same nonces, used up by zero transfers to oneself.
    const empty = await Promise.all(
      others.map(({ nonce }) => hand.sign(agent.wallet, agent.wallet.address, 0n, { nonce })),
    );
    await hand.together([...empty, real].map(hand.transferCall));
    const answers = [];
    for (const [index, jobKey] of jobs.entries()) {
      answers.push((await agent.pay(jobKey, { signature: headers[index] ?? '' })).status);
    }
    expect(answers).toEqual([200, 402, 402]);
  });

  it('pays for the job whose nonce stands directly before it, whoever else stands in the transaction', async () => {
    const [agent, neighbour] = [await Agent.arrive(service), await Agent.arrive(service)];
    const [job, neighbourJob] = [await agent.authorizedJob(), await neighbour.authorizedJob()];
    const [header, neighbourHeader] = [
      await agent.signPayment(job, network),
      await neighbour.signPayment(neighbourJob, network),
    ];
    await hand.together([
      hand.mintCall(payTo, price),
      hand.transferCall(signedIn(neighbourHeader)),
      hand.transferCall(signedIn(header)),
    ]);
    const paid = [
      await agent.pay(job, { signature: header }),
      await neighbour.pay(neighbourJob, { signature: neighbourHeader }),
    ];
    expect(paid.map(({ status }) => status)).toEqual([200, 200]);
    // The minted tokens are noticed.
    await service.sweep();
  });
});

describe('a transfer that somebody else has settled', () => {
  it('pays for no job of whoever reads it off the chain, and is listed for return', async () => {
    const [payer, thief] = [await Agent.arrive(service), await Agent.arrive(service)];
    const header = await payer.signPayment(await payer.authorizedJob(), network);
    await service.carryOut(header);
    const jobKey = await thief.authorizedJob();
    const refused = await thief.pay(jobKey, { signature: header });
    expect([refused.status, refused.body.error]).toEqual([402, expect.stringContaining('already carried out')]);
    expect(refused.body.error).toContain('listed for return');
    expect(await stateOf(thief, jobKey)).toEqual(['awaiting_payment', 'none', 'none']);
    await service.sweep();
    const { arrivals } = await readUnsettled(service.runtime.db, new Date());
    const listed = arrivals.rows.find(({ other }) => other === payer.wallet.address.toLowerCase());
    const returned = await money('return', network, listed?.transaction ?? '', String(listed?.position));
    expect(returned).toBe(`5.00 USD goes back to ${payer.wallet.address.toLowerCase()}.\n`);
    await service.sweep();
    await service.sweep();
    expect(await givenBack(payer)).toMatchObject([{ amount: '5000000' }]);
    // It proves nothing any more, even for the wallet that signed it.
    const ownJob = await payer.authorizedJob();
    expect((await payer.pay(ownJob, { signature: header })).status).toBe(402);
    expect(await stateOf(payer, ownJob)).toEqual(['awaiting_payment', 'none', 'none']);
    await expect(money('return', network, listed?.transaction ?? '', String(listed?.position))).rejects.toThrow(
      'Its use is known: returned',
    );
  });

  it('pays for a job of the wallet that signed it', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const header = await agent.signPayment(jobKey, network);
    await service.carryOut(header);
    expect((await agent.pay(jobKey, { signature: header })).status).toBe(200);
  });

  it('may come from any address when it is carried out after it was presented', async () => {
    const [agent, sponsor] = [await Agent.arrive(service), await Agent.arrive(service)];
    const jobKey = await agent.authorizedJob();
    const header = await sponsor.signPayment(await sponsor.authorizedJob(), network);
    expect((await agent.pay(jobKey, { signature: header })).status).toBe(200);
  });
});

describe('a payment whose outcome is open', () => {
  /** A job with a payment that was presented but not carried out. */
  async function openPayment() {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const header = await agent.signPayment(jobKey, network);
    await control.facilitatorFault({ mode: 'refuse', times: 'always' });
    expect((await agent.pay(jobKey, { signature: header })).body.code).toBe('payment_unknown');
    return { agent, jobKey, header };
  }

  it('ends at once when its payer cancels the authorization, and the job can be paid anew', async () => {
    const { agent, jobKey, header } = await openPayment();
    await hand.cancel(agent.wallet, signedIn(header).nonce);
    service.advanceClock(31);
    await service.sweep();
    service.advanceClock(-31);
    expect(await stateOf(agent, jobKey)).toEqual(['awaiting_payment', 'none', 'none']);
    await control.clearFacilitatorFaults();
    expect((await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, network) })).status).toBe(200);
  });

  it('is a matter for an operator after an hour', async () => {
    const { agent, jobKey, header } = await openPayment();
    const told = async (hours: number) =>
      (await readUnsettled(service.runtime.db, new Date(Date.now() + hours * 3_600_000))).unknown.rows;
    expect(await told(0.9)).toEqual([]);
    expect(await told(1.1)).toMatchObject([{ job_key: jobKey, network }]);
    await control.clearFacilitatorFaults();
    expect((await agent.pay(jobKey, { signature: header })).status).toBe(200);
  });
});

describe('a node that is silent', () => {
  it('reverses nothing: what it does not show is unconfirmed', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, network) });
    await service.execute(jobKey);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
    await control.chainFault(chain, { mode: 'advance_time', seconds: 200 });
    await control.chainFault(chain, { mode: 'blind' });
    await looksAgain();
    expect(await stateOf(agent, jobKey)).toEqual(['accepted', 'collected', 'final']);
    expect((await agent.get('/api/agent/v1/me')).body.holds).toEqual([]);
    await control.clearChainFaults(chain);
    await looksAgain(2);
    expect(await stateOf(agent, jobKey)).toEqual(['accepted', 'collected', 'final']);
  });
});

describe('a transfer of nothing by a stranger', () => {
  it('does not end the search for what arrives', async () => {
    await service.sweep();
    await hand.nothingFrom(`0x${'7'.repeat(40)}`, payTo);
    const transaction = await hand.mint(payTo, 1_230_000n);
    await service.sweep();
    const { rows } = await pool.query('select amount_microcents from chain_transfers where transaction = $1', [
      transaction,
    ]);
    expect(rows).toEqual([{ amount_microcents: '123000000' }]);
  });
});

// Last on its chain, because its time moves.
describe('a payment that was given up', () => {
  /** A job whose open payment has expired, and its nonce. */
  async function givenUp(): Promise<{ agent: Agent; nonce: `0x${string}`; header: string }> {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const header = await agent.signPayment(jobKey, secondNetwork);
    await control.facilitatorFault({ mode: 'refuse' });
    await agent.pay(jobKey, { signature: header });
    const { snapshot_id } = await control.chainFault(second, { mode: 'snapshot' });
    await control.chainFault(second, { mode: 'advance_time', seconds: 200 });
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`)).status).toBe(200);
    await control.chainFault(second, { mode: 'revert', snapshot_id: snapshot_id ?? '0x' });
    return { agent, nonce: signedIn(header).nonce, header };
  }

  it('is not given back for the millionth of a dollar that came under its nonce', async () => {
    const { agent, nonce } = await givenUp();
    const dust = await secondHand.sign(agent.wallet, payTo, 1n, { nonce });
    await secondHand.call(secondHand.transferCall(dust));
    for (let round = 0; round < 3; round += 1) await service.sweep();
    expect(await givenBack(agent, second)).toEqual([]);
  });

  it('is given back in full, once, when it arrives in full', async () => {
    const { agent, header } = await givenUp();
    await secondHand.call(secondHand.transferCall(signedIn(header)));
    for (let round = 0; round < 3; round += 1) await service.sweep();
    expect(await givenBack(agent, second)).toMatchObject([{ amount: '5000000' }]);
  });
});

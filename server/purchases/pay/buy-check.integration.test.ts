import { randomBytes } from 'node:crypto';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { isPaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault } from '../../../e2e/support/agent.ts';
import { newAgent } from '../../../e2e/support/customer.ts';
import { startService } from '../../../e2e/support/service.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { sql } from '../../kernel/sql.ts';
import { exampleRequest } from '../../work-check/sample.ts';
import { buyCheck } from '../keyless-contract.ts';

const service = await startService();
const path = '/api/x402/v1/check';
const anybody = newAgent(service);

/** A wallet with money that has never been here. */
const freshWallet = () => Agent.withWallet(service);

const unpaid = async () => (await anybody.post(path)).body;
const buy = (signature: string, body: object = exampleRequest) =>
  anybody.post(path, body, { 'payment-signature': signature });
const signatureOf = async (agent: Agent, changes: object = {}) =>
  encodePaymentSignatureHeader({ ...(await agent.createPayment(await unpaid())), ...changes });

const counted = async () =>
  (
    await service.runtime.db.one<{ counts: object }>(sql`
      select json_build_object('quotes', (select count(*) from quotes), 'jobs', (select count(*) from jobs),
        'principals', (select count(*) from principals), 'claims', (select count(*) from idempotency_claims),
        'credentials', (select count(*) from credentials)) as counts`)
  ).counts;

describe('a probe', () => {
  it.each([
    ['nothing', undefined],
    ['an empty body', {}],
    ['a whole request', exampleRequest],
    ['nonsense', { colour: 'red' }],
  ])('with %s is told the price and how to ask, and leaves nothing', async (_, body) => {
    const before = await counted();
    const answer = await anybody.post(path, body);
    expect(answer.status).toBe(402);
    expect(answer.headers.get('payment-required')?.length).toBeLessThan(8_000);
    expect(answer.body).toMatchObject({
      x402Version: 2,
      accepts: [{ amount: '5000000' }, { amount: '5000000' }],
      resource: { url: `${service.baseUrl}${path}`, serviceName: 'Work Check', tags: expect.any(Array) },
    });
    const { bazaar, 'payment-identifier': identifier } = answer.body.extensions;
    expect(validateDiscoveryExtension(bazaar)).toMatchObject({ valid: true });
    expect(isPaymentIdentifierExtension(identifier)).toBe(true);
    expect(await counted()).toEqual(before);
  });
});

describe('a wallet that has never been here', () => {
  it('buys with a stock client in one call, and reads its report with the session in the answer', async () => {
    const agent = await freshWallet();
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(agent.wallet));
    client.setSpendControls({ maxAmountPerPayment: '$5' });
    const answer = await wrapFetchWithPayment(fetch, client)(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exampleRequest),
    });
    const body = (await answer.json()) as { job_key: string; state: string; session: { access_token: string } };
    expect([answer.status, body.state]).toEqual([202, 'queued']);
    expect(answer.headers.get('payment-response')).not.toBeNull();
    expect(answer.headers.get('cache-control')).toContain('no-store');
    agent.token = body.session.access_token;
    await service.execute(body.job_key);
    expect((await agent.get(`/api/agent/v1/jobs/${body.job_key}/report`)).body.verdict).toBe('revise');
    expect((await agent.get('/api/agent/v1/me')).body.principal.address.toLowerCase()).toBe(
      agent.wallet.address.toLowerCase(),
    );
  });

  it('buys the example that the listing shows, in which an error is found', async () => {
    const { bazaar } = (await unpaid()).extensions;
    const agent = await freshWallet();
    const { status, body } = await buy(await signatureOf(agent), bazaar.info.input.body);
    expect([status, body.payment_state]).toEqual([202, 'collected']);
    agent.token = body.session.access_token;
    await service.execute(body.job_key);
    expect((await agent.get(`/api/agent/v1/jobs/${body.job_key}/report`)).body.verdict).toBe('revise');
  });

  it('pays nothing for a body that is not valid', async () => {
    const agent = await freshWallet();
    const signature = await signatureOf(agent);
    const before = await counted();
    const bodies: [object, string][] = [
      [{}, 'validation_failed'],
      [{ ...exampleRequest, colour: 'red' }, 'validation_failed'],
      [{ ...exampleRequest, work_kind: 'code' }, 'unsupported_work_kind'],
      [{ ...exampleRequest, work_product: `svc_claim_${'a'.repeat(36)}` }, 'credential_in_input'],
      [{ ...exampleRequest, max_price_microcents: 1 }, 'price_above_max'],
      [{ ...exampleRequest, context: { refs: ['src_1'] } }, 'grant_scope_missing'],
    ];
    for (const [body, code] of bodies) expect([code, (await buy(signature, body)).body.code]).toEqual([code, code]);
    expect(await counted()).toEqual(before);
    // The same signature is still good for a body that is.
    expect((await buy(signature)).body.payment_state).toBe('collected');
  });
});

describe('a wallet that has been here', () => {
  it('gets no session for a payment: a shop that had it sign could present it, and read all its reports', async () => {
    const agent = await Agent.arrive(service);
    const bought = await agent.paidJob();
    // What the wallet signs says whom it pays, and not for what: the shop relays our demand, and sends a body of its own.
    const signature = await signatureOf(agent);
    const taken = await buy(signature, { ...exampleRequest, kind: "the shop's" });
    expect([taken.status, taken.body.payment_state, taken.body.session]).toEqual([202, 'collected', null]);
    // The wallet itself has both, by its own sign-in.
    const { jobs } = (await agent.get('/api/agent/v1/jobs')).body;
    expect(jobs.map((job: { job_key: string }) => job.job_key)).toEqual([taken.body.job_key, bought]);
  });
});

describe('a repeat', () => {
  it('finds its job, is charged once, and gets no session: everybody can read a payment on the chain', async () => {
    const signature = await signatureOf(await freshWallet());
    const first = await buy(signature);
    const again = await buy(signature);
    expect(again.status).toBe(202);
    expect(again.body).toEqual({ ...first.body, session: null });
    expect(first.body.session.access_token).toMatch(/^svc_wallet_/);
    const other = await buy(signature, { ...exampleRequest, kind: 'another' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_conflict']);
  });

  it('with another signature under the same name is the same purchase', async () => {
    const agent = await freshWallet();
    const extensions = { 'payment-identifier': { info: { required: false, id: randomBytes(16).toString('hex') } } };
    const first = await buy(await signatureOf(agent, { extensions }));
    const again = await buy(await signatureOf(agent, { extensions }));
    expect(again.body).toEqual({ ...first.body, session: null });
    expect(await checksPaid(agent)).toBe(1);
  });

  it('after a lost facilitator goes on with the same job', async () => {
    const signature = await signatureOf(await freshWallet());
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'error_500', on: 'settle', times: 1 });
    const first = await buy(signature);
    await clearFaults(service.sandbox.controlUrl);
    const again = await buy(signature);
    expect([again.status, again.body.payment_state]).toEqual([202, 'collected']);
    if (first.status === 202) expect(again.body.job_key).toBe(first.body.job_key);
    else expect(first.body.code).toBe('payment_unknown');
  });

  it('of twenty at once makes one job', async () => {
    const agent = await freshWallet();
    const signature = await signatureOf(agent);
    const answers = await Promise.all(Array.from({ length: 20 }, () => buy(signature)));
    const jobs = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.job_key));
    expect(jobs.size).toBe(1);
    expect(answers.filter(({ body }) => body.session).length).toBeLessThanOrEqual(1);
    expect(await checksPaid(agent)).toBe(1);
  });
});

describe('a wallet that was here before', () => {
  const wallets = async () => {
    const agent = await Agent.arrive(service);
    return { agent, payer: agent.wallet.address.toLowerCase() };
  };

  it('is refused while it is blocked, and past its limits', async () => {
    const { agent, payer } = await wallets();
    await service.runtime.db.many(sql`update grants set daily_limit_microcents = 1 where principal_key = ${payer}`);
    expect((await buy(await signatureOf(agent))).body.code).toBe('grant_limit_exceeded');
    await service.runtime.db.many(sql`
      insert into purchase_blocks (block_key, payer, cause, created_at) values ('block_1', ${payer}, 'remedies', now())`);
    expect((await buy(await signatureOf(agent))).body.code).toBe('purchases_blocked');
    expect(await checksPaid(agent)).toBe(0);
  });

  it('is told of a source that its account does not hold', async () => {
    const { agent, payer } = await wallets();
    await service.runtime.db.many(sql`update grants set governed_refs = true where principal_key = ${payer}`);
    const answer = await buy(await signatureOf(agent), { ...exampleRequest, context: { refs: ['src_unknown'] } });
    expect(answer.body.code).toBe('source_unavailable');
    expect(await checksPaid(agent)).toBe(0);
  });

  it('hears that an outcome is unknown, and then the same for a repeat', async () => {
    const { agent } = await wallets();
    const signature = await signatureOf(agent);
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'error_500', on: 'settle', times: 'always' });
    const first = await buy(signature);
    const again = await buy(signature);
    await clearFaults(service.sandbox.controlUrl);
    expect([first.body.code, again.body.code]).toEqual(['payment_unknown', 'payment_unknown']);
    expect((await buy(signature)).body.payment_state).toBe('collected');
    expect(await checksPaid(agent)).toBe(1);
  });

  it('is not charged for a job that it canceled after a crash had left it unpaid', async () => {
    const { agent, payer } = await wallets();
    const payment = await agent.createPayment(await unpaid());
    const { nonce } = (payment.payload as { authorization: { nonce: string } }).authorization;
    const job_key = await agent.authorizedJob();
    // What the first half of the call leaves behind.
    const fingerprint = digestOf(canonicalJson(buyCheck.input.parse(exampleRequest)));
    await service.runtime.db.many(sql`
      with claim as (
        insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, status, created_at,
          answered_at)
        values (${payer}, 'buy_check', '', ${nonce}, ${fingerprint}, 202, now(), now()) returning week, number)
      insert into idempotency_answers select week, number, ${JSON.stringify({ job_key })}, '{}' from claim`);
    await agent.post(`/api/agent/v1/jobs/${job_key}/cancel`);
    const answer = await buy(encodePaymentSignatureHeader(payment));
    expect([answer.status, answer.body.code]).toEqual([409, 'action_not_allowed']);
    expect(await checksPaid(agent)).toBe(0);
  });
});

describe('a thief', () => {
  it('cannot use a payment that was made for another job', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const { body } = await agent.pay(jobKey);
    const signature = encodePaymentSignatureHeader(await agent.createPayment(body));
    await agent.pay(jobKey, { signature });
    const answer = await buy(signature);
    expect([answer.status, answer.body.code]).toEqual([409, 'payment_already_used']);
  });

  it.each([
    ['unreadable', 'nonsense'],
    ['empty', Buffer.from('{}').toString('base64')],
  ])('is asked again for a payment that is %s', async (_, signature) => {
    const answer = await buy(signature);
    expect([answer.status, answer.body.x402Version]).toEqual([402, 2]);
  });

  it('cannot pay in the name of another wallet, and leaves nothing there', async () => {
    const [victim, thief] = [await freshWallet(), await freshWallet()];
    const payment = await thief.createPayment(await unpaid());
    const payload = payment.payload as { authorization: { from: string } };
    payload.authorization.from = victim.wallet.address;
    const before = await counted();
    const answer = await buy(encodePaymentSignatureHeader(payment));
    expect(answer.status).toBe(402);
    expect(await counted()).toEqual(before);
  });
});

describe('a facilitator that is down', () => {
  it('sells nothing', async () => {
    const signature = await signatureOf(await freshWallet());
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'error_500', on: 'supported', times: 'always' });
    service.advanceClock(60);
    await expect.poll(async () => (await buy(signature)).body.code).toBe('service_unavailable');
    service.advanceClock(-60);
    await clearFaults(service.sandbox.controlUrl);
  });
});

/** How many checks the wallet has paid for. */
async function checksPaid(agent: Agent): Promise<number> {
  const { paid } = await service.runtime.db.one<{ paid: number }>(sql`
    select count(*)::integer as paid from x402_payments
    where payer = ${agent.wallet.address.toLowerCase()} and state = 'collected'`);
  return paid;
}

import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault, settlementsOf } from '../../../e2e/support/agent.ts';
import { buyingByCard, click, fillIn, listen, payByCard, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
const stripe = stripeOf(service);
const { controlUrl } = service.sandbox;
beforeAll(() => listen(service));
afterEach(async () => {
  await stripe.clearFaults();
  await clearFaults(controlUrl);
});

/** A payer with a wallet and the link, unknown to the service. */
async function payer(): Promise<Agent> {
  const wallet = await Agent.arrive(service);
  wallet.token = '';
  return wallet;
}

/** An agent whose customer has a payment link. */
async function asking(changes: Record<string, unknown> = {}) {
  const buying = await buyingByCard(service, changes);
  const jobKey = await buying.agent.authorizedJob();
  const { payment_key: paymentKey } = (await payByCard(buying.agent, jobKey)).body;
  return { ...buying, jobKey, paymentKey: String(paymentKey) };
}

const post = (wallet: Agent, paymentKey: string, signature?: string) =>
  wallet.post(
    `/api/agent/v1/payments/${paymentKey}/x402`,
    {},
    signature === undefined ? {} : { 'payment-signature': signature },
  );

/** This wallet's signed payment for a link. */
async function signatureOf(wallet: Agent, paymentKey: string): Promise<string> {
  const unpaid = await post(wallet, paymentKey);
  const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  return encodePaymentSignatureHeader(await wallet.createPayment(required));
}
const paidBy = async (wallets: Agent[]) =>
  (await Promise.all(wallets.map(({ wallet }) => settlementsOf(controlUrl, wallet.address)))).flatMap((settled) =>
    settled.flatMap(({ transactions }) => transactions),
  );
const paymentOf = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body.payment_state;

describe('a payment link, over x402', () => {
  it('takes no money for a check whose source is gone', async () => {
    const { agent, member } = await buyingByCard(service);
    await service.database.pool.query(
      'update grants set governed_refs = true from principals where principals.principal_key = grants.principal_key and account_key = $1',
      [member.accountKey],
    );
    const at = '/api/agent/v1/sources';
    const { source_key } = (await member.post(at, { name: 'Terms', text: 'The seller pays.' })).body;
    const jobKey = await agent.authorizedJob({ context: { refs: [source_key] } });
    const { payment_key } = (await payByCard(agent, jobKey)).body;
    const wallet = await payer();
    const signature = await signatureOf(wallet, payment_key);
    await member.send('DELETE', `${at}/${source_key}`);
    const refused = await post(wallet, payment_key, signature);
    expect([refused.status, refused.body.code]).toEqual([409, 'source_unavailable']);
    expect(await paidBy([wallet])).toEqual([]);
  });

  it('asks for the price, and opens nothing by that', async () => {
    const { agent, jobKey, paymentKey } = await asking();
    const unpaid = await post(await payer(), paymentKey);
    expect(unpaid.status).toBe(402);
    expect(decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '').accepts).toMatchObject([
      { amount: '5000000', network: 'eip155:84532' },
      { amount: '5000000', network: 'eip155:421614' },
    ]);
    expect(await paymentOf(agent, jobKey)).toBe('requires_payer');
  });

  it('is paid by whoever has it, who learns nothing of the job; nobody can pay on its card page then', async () => {
    const { agent, jobKey, paymentKey } = await asking();
    const wallet = await payer();
    const signature = await signatureOf(wallet, paymentKey);
    const { url } = (await click(wallet, paymentKey)).body;
    const paid = await post(wallet, paymentKey, signature);
    expect(paid.status).toBe(200);
    expect(paid.headers.has('payment-response')).toBe(true);
    expect(paid.body).toMatchObject({ payment_key: paymentKey, state: 'paid', payment_state: 'collected' });
    expect(paid.text).not.toContain(jobKey);
    expect((await fillIn(url)).status).toBe(410);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'queued', payment_state: 'collected' });
    const { collection } = (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body;
    expect(collection).toMatchObject({ rail: 'x402', method: 'x402' });
    const again = await post(wallet, paymentKey, signature);
    expect([again.status, again.body.state]).toEqual([200, 'paid']);
    expect(await paidBy([wallet])).toHaveLength(1);
  });

  it('is paid once, however many wallets want to', async () => {
    const { agent, jobKey, paymentKey } = await asking();
    const wallets = await Promise.all(Array.from({ length: 10 }, payer));
    const signatures = await Promise.all(wallets.map((wallet) => signatureOf(wallet, paymentKey)));
    const answers = await Promise.all(wallets.map((wallet, index) => post(wallet, paymentKey, signatures[index])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
      expect([status, ['payment_unknown', 'action_not_allowed'].includes(body.code)]).toEqual([409, true]);
    }
    expect(await paidBy(wallets)).toHaveLength(1);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
  });

  it('takes no payment that was made for another', async () => {
    const [first, second] = [await asking(), await asking()];
    const wallet = await payer();
    const signature = await signatureOf(wallet, first.paymentKey);
    expect((await post(wallet, first.paymentKey, signature)).status).toBe(200);
    expect((await post(wallet, second.paymentKey, signature)).body.code).toBe('payment_already_used');
    expect(await paymentOf(second.agent, second.jobKey)).toBe('requires_payer');
  });

  it('says not to pay again while nobody knows, and the same signature finds out', async () => {
    const { agent, jobKey, paymentKey } = await asking();
    const wallet = await payer();
    const signature = await signatureOf(wallet, paymentKey);
    await facilitatorFault(controlUrl, { mode: 'drop_before_settle' });
    expect((await post(wallet, paymentKey, signature)).body.code).toBe('payment_unknown');
    const page = await wallet.get(`/api/agent/v1/payments/${paymentKey}`);
    expect(page.body.state).toBe('unknown');
    await clearFaults(controlUrl);
    service.advanceClock(15);
    const paid = await post(wallet, paymentKey, signature);
    service.advanceClock(-15);
    expect([paid.status, paid.body.state]).toEqual([200, 'paid']);
    expect(await paymentOf(agent, jobKey)).toBe('collected');
    expect(await paidBy([wallet])).toHaveLength(1);
  });

  it('pays nothing when its card page was paid on meanwhile', async () => {
    const { paymentKey } = await asking();
    const wallet = await payer();
    const signature = await signatureOf(wallet, paymentKey);
    await stripe.webhookFault({ mode: 'lose', times: 'always' });
    await fillIn((await click(wallet, paymentKey)).body.url);
    expect((await post(wallet, paymentKey, signature)).body.code).toBe('action_not_allowed');
    expect(await paidBy([wallet])).toEqual([]);
  });

  it('begins nothing once it has ended', async () => {
    const { agent, jobKey, paymentKey } = await asking();
    const wallet = await payer();
    const signature = await signatureOf(wallet, paymentKey);
    await agent.post(`/api/agent/v1/jobs/${jobKey}/payments/cancel`);
    for (const given of [undefined, signature]) {
      expect((await post(wallet, paymentKey, given)).body.code).toBe('action_not_allowed');
    }
    expect(await paidBy([wallet])).toEqual([]);
    expect(await paymentOf(agent, jobKey)).toBe('none');
  });

  it.each([
    ['is paused', 'pause', { paused: true }, 'grant_scope_missing'],
    ['may not pay over x402 any more', 'grant', { payment_methods: ['card_checkout'] }, 'grant_scope_missing'],
    ['may not pay so much any more', 'grant', { per_job_limit_microcents: 1_000_000 }, 'grant_limit_exceeded'],
    ['is no longer connected', 'revoke', {}, 'action_not_allowed'],
  ])('pays for no agent that %s', async (_, change, body, code) => {
    const { agent, member, paymentKey } = await asking();
    const wallet = await payer();
    const signature = await signatureOf(wallet, paymentKey);
    const { agent_key } = (await agent.get('/api/agent/v1/me')).body.principal;
    const changed = await member.post(`/api/agent/v1/agents/${agent_key}/${change}`, body);
    expect(changed.status).toBe(200);
    const { body: refusal } = await post(wallet, paymentKey, signature);
    expect(refusal.code).toBe(code);
    expect(refusal).not.toHaveProperty('used_microcents');
    expect(refusal.detail).not.toMatch(/\d\.\d/);
    expect(await paidBy([wallet])).toEqual([]);
  });

  it.each([
    ['is paused', 'pause', { paused: true }, 'grant_scope_missing'],
    ['may not pay by card any more', 'grant', { payment_methods: ['x402'] }, 'grant_scope_missing'],
    ['may not pay so much any more', 'grant', { per_job_limit_microcents: 1_000_000 }, 'grant_limit_exceeded'],
    ['is no longer connected', 'revoke', {}, 'action_not_allowed'],
  ] as const)('leads to no card page for an agent that %s', async (_, change, body, code) => {
    const { agent, member, paymentKey } = await asking();
    const { agent_key } = (await agent.get('/api/agent/v1/me')).body.principal;
    expect((await member.post(`/api/agent/v1/agents/${agent_key}/${change}`, body)).status).toBe(200);
    const stranger = await payer();
    const { body: refusal } = await click(stranger, paymentKey);
    expect(refusal.code).toBe(code);
    expect(refusal).not.toHaveProperty('used_microcents');
    expect(refusal.detail).not.toMatch(/\d\.\d/);
    const { rails } = (await stranger.get(`/api/agent/v1/payments/${paymentKey}`)).body;
    const offered = rails.map(({ rail }: { rail: string }) => rail);
    expect(offered).toEqual({ pause: [], grant: offered, revoke: [] }[change]);
    expect((await stripe.books()).sessions.some(({ client_reference_id: key }) => key === paymentKey)).toBe(false);
  });

  it.each([
    ['is paused', 'pause', { paused: true }],
    ['is no longer connected', 'revoke', {}],
  ])('takes no more money on a card page that was open when its agent %s', async (_, change, body) => {
    const { agent, member, jobKey, paymentKey } = await asking();
    const { url } = (await click(await payer(), paymentKey)).body;
    const { agent_key } = (await agent.get('/api/agent/v1/me')).body.principal;
    expect((await member.post(`/api/agent/v1/agents/${agent_key}/${change}`, body)).status).toBe(200);
    // Until the provider answers, the page stays; the next round ends it.
    await stripe.fault({ mode: 'error_500', on: 'checkout.sessions.expire', times: 'always' });
    await service.sweep();
    await stripe.clearFaults();
    await service.sweep();
    expect((await fillIn(url)).status).toBe(410);
    expect((await stripe.books()).charges.some(({ metadata }) => metadata.payment_key === paymentKey)).toBe(false);
    const { rows } = await service.database.pool.query('select payment_state from jobs where job_key = $1', [jobKey]);
    expect(rows).toEqual([{ payment_state: 'none' }]);
  });

  it('begins nothing while its account is blocked, before a round has ended it', async () => {
    const { agent, paymentKey } = await asking();
    const { account_key } = (await agent.get('/api/agent/v1/me')).body;
    await service.database.pool.query(
      `insert into purchase_blocks (block_key, account_key, cause, created_at) values ('block_trial', $1, 'remedies', now())`,
      [account_key],
    );
    const wallet = await payer();
    // Whoever has the link learns nothing of why.
    for (const { body } of [await post(wallet, paymentKey), await click(wallet, paymentKey)]) {
      expect([body.code, body.detail]).toEqual([
        'purchases_blocked',
        expect.stringMatching(/the account of this link is blocked/),
      ]);
    }
    expect((await wallet.get(`/api/agent/v1/payments/${paymentKey}`)).body.rails).toEqual([]);
  });

  it('ends when its account is blocked, also on a card page that is open', async () => {
    const { agent, jobKey, paymentKey } = await asking();
    const opened = (await payByCard(agent, await agent.authorizedJob())).body;
    const { url } = (await click(agent, opened.payment_key)).body;
    const paid = await agent.authorizedJob();
    const { payment_key } = (await payByCard(agent, paid)).body;
    await fillIn((await click(agent, payment_key)).body.url);
    await stripe.untilDelivered();
    await service.sweep();
    const charge = (await stripe.books()).charges.find(({ metadata }) => metadata.payment_key === payment_key);
    await stripe.openDispute({ payment_intent: String(charge?.payment_intent) });
    await stripe.untilDelivered();
    await service.sweep();
    const wallet = await payer();
    expect((await payByCard(agent, jobKey)).body.code).toBe('purchases_blocked');
    expect((await post(wallet, paymentKey)).body.code).toBe('action_not_allowed');
    expect((await click(wallet, paymentKey)).body.code).toBe('action_not_allowed');
    expect((await wallet.get(`/api/agent/v1/payments/${paymentKey}`)).body.rails).toEqual([]);
    expect((await fillIn(url)).status).toBe(410);
  });
});

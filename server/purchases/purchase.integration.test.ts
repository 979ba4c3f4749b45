import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../client/verify-receipt.ts';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService();
const arrive = () => Agent.arrive(service);

describe('a purchase', () => {
  it('leads from a quote to an accepted report and a receipt that a stranger can verify', async () => {
    const agent = await arrive();
    const quote = await agent.quote();
    expect(quote.status).toBe(201);
    expect(quote.body.price.amount_microcents).toBe(500_000_000);
    expect(quote.body.next_actions.map((next: { action: string }) => next.action)).toEqual(['authorize']);

    const authorized = await agent.authorize(quote.body.quote_key);
    expect(authorized.status).toBe(201);
    const { job_key } = authorized.body;
    const paid = await agent.pay(job_key, { signature: await agent.signPayment(job_key) });
    expect(paid.status).toBe(200);
    expect(paid.headers.get('payment-response')).toBeTruthy();
    expect(paid.body).toMatchObject({ state: 'queued', payment_state: 'collected', charge_state: 'held' });

    await service.execute(job_key);
    const report = await agent.get(`/api/agent/v1/jobs/${job_key}/report`);
    expect(report.status).toBe(200);
    expect(report.body.verdict).toBe('revise');

    const accepted = await agent.post(`/api/agent/v1/jobs/${job_key}/review`, { decision: 'accept' });
    expect(accepted.body).toMatchObject({ state: 'accepted', charge_state: 'final', review_state: 'accepted' });

    const receipt = await agent.get(`/api/agent/v1/jobs/${job_key}/receipt`);
    const keys = await agent.get('/.well-known/jwks.json');
    await verifyReceipt(receipt.body, keys.body);
    expect(receipt.body).toMatchObject({
      sequence: 3,
      report_digest: accepted.body.report_digest,
      collection: { state: 'collected', rail: 'x402', amount_microcents: 500_000_000 },
      charge: { state: 'final', amount_microcents: 500_000_000 },
      remedy: { kind: 'none' },
    });
    await expect(
      verifyReceipt({ ...receipt.body, charge: { ...receipt.body.charge, amount_microcents: 1 } }, keys.body),
    ).rejects.toThrow('covers something else');
  });

  it('is answered, whatever changes it, with what is read of it afterwards', async () => {
    const agent = await arrive();
    const { body: quote } = await agent.quote();
    const changes: Record<string, (jobKey: string) => Promise<{ body: unknown }>> = {
      authorize: () => agent.authorize(quote.quote_key),
      pay: async (jobKey) => agent.pay(jobKey, { signature: await agent.signPayment(jobKey) }),
      review: (jobKey) => agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' }),
    };
    let jobKey = '';
    for (const [name, change] of Object.entries(changes)) {
      const { body } = await change(jobKey);
      jobKey ||= (body as { job_key: string }).job_key;
      expect(body, name).toEqual((await agent.job(jobKey)).body);
      if (name === 'pay') await service.execute(jobKey);
    }
  });

  it('lets every action that it lists succeed, and refuses the others', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    const actions = async () =>
      (await agent.job(jobKey)).body.next_actions.map((next: { action: string }) => next.action);
    expect(await actions()).toEqual(['pay', 'cancel']);
    const early = await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
    expect([early.status, early.body.code]).toEqual([409, 'action_not_allowed']);
    expect((await agent.get(`/api/agent/v1/jobs/${jobKey}/report`)).body.code).toBe('report_not_ready');
    expect((await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body.code).toBe('action_not_allowed');

    await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    expect(await actions()).toEqual(['receipt', 'cancel']);
    const again = await agent.pay(jobKey);
    expect([again.status, again.body.code]).toEqual([409, 'action_not_allowed']);

    await service.execute(jobKey);
    expect(await actions()).toEqual(['report', 'review', 'receipt']);
    const late = await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    expect([late.status, late.body.code]).toEqual([409, 'action_not_allowed']);
  });

  it('is invisible to other principals, in the same words as a purchase that does not exist', async () => {
    const [owner, stranger] = await Promise.all([arrive(), arrive()]);
    const jobKey = await owner.authorizedJob();
    const paths = ['', '/report', '/receipt'].map((rest) => `/api/agent/v1/jobs/${jobKey}${rest}`);
    for (const path of paths) {
      const foreign = await stranger.get(path);
      const missing = await stranger.get(path.replace(jobKey, 'job_0000000000000000000000'));
      expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    }
    expect((await stranger.pay(jobKey)).body.code).toBe('not_found');
    expect((await stranger.post(`/api/agent/v1/jobs/${jobKey}/cancel`)).body.code).toBe('not_found');
  });

  it('cancels before payment without a trace in the books, and after payment with wallet credit', async () => {
    const agent = await arrive();
    const unpaid = await agent.authorizedJob();
    expect((await agent.post(`/api/agent/v1/jobs/${unpaid}/cancel`)).body).toMatchObject({ state: 'canceled' });
    const paid = await agent.paidJob();
    const canceled = await agent.post(`/api/agent/v1/jobs/${paid}/cancel`);
    expect(canceled.body).toMatchObject({ state: 'canceled', payment_state: 'credited', charge_state: 'none' });
    const me = await agent.get('/api/agent/v1/me');
    expect(me.body.wallet_credit_microcents).toBe(500_000_000);
    expect(me.body.spend).toMatchObject({ today_microcents: 500_000_000, reserved_microcents: 0 });
    const receipt = await agent.get(`/api/agent/v1/jobs/${paid}/receipt`);
    expect(receipt.body.remedy).toMatchObject({ kind: 'wallet_credit', amount_microcents: 500_000_000 });
    // Its message is still in the queue: a worker that takes it finds nothing to do.
    await service.execute(paid);
    expect((await agent.job(paid)).body.state).toBe('canceled');
  });
});

describe('a quote', () => {
  it('refuses a price above the ceiling of the buyer and says what it costs', async () => {
    const agent = await arrive();
    const refused = await agent.quote({ max_price_microcents: 499_999_999 });
    expect([refused.status, refused.body.code]).toEqual([422, 'price_above_max']);
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/max_price_microcents', limit: 500_000_000 });
  });

  it('names the field at fault: unknown ones, wrong kinds, sizes past the bound', async () => {
    const agent = await arrive();
    const unknown = await agent.quote({ colour: 'red' });
    expect(unknown.body.errors[0]).toMatchObject({ pointer: '/colour', code: 'unknown_field' });
    const unsupported = await agent.quote({ work_kind: 'legal_opinion' });
    expect([unsupported.status, unsupported.body.code]).toEqual([422, 'unsupported_work_kind']);
    const large = await agent.quote({ work_product: 'x'.repeat(65_537) });
    expect(large.body.errors[0]).toMatchObject({ pointer: '/work_product', limit: 65_536, actual: 65_537 });
    const atBound = await agent.quote({ work_product: 'x'.repeat(65_536) });
    expect(atBound.status).toBe(201);
  });

  it('refuses input that holds a credential, and governed sources outside the grant', async () => {
    const agent = await arrive();
    const leaked = await agent.quote({ work_product: `my key is ${agent.token}` });
    expect([leaked.status, leaked.body.code]).toEqual([422, 'credential_in_input']);
    const governed = await agent.quote({ context: { refs: ['handbook'] } });
    expect([governed.status, governed.body.code]).toEqual([403, 'grant_scope_missing']);
  });

  it('expires, and is never authorized afterwards', async () => {
    const agent = await arrive();
    const { body: quote } = await agent.quote();
    service.advanceClock(1_801);
    const expired = await agent.authorize(quote.quote_key);
    expect([expired.status, expired.body.code]).toEqual([409, 'quote_expired']);
    const read = await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`);
    expect(read.body).toMatchObject({ state: 'expired', next_actions: [], job_key: null });
    service.advanceClock(-1_801);
  });

  it('is authorized once, however often it is asked, and only under the terms of its quote', async () => {
    const agent = await arrive();
    const { body: quote } = await agent.quote();
    const old = await agent.post(`/api/agent/v1/purchases/${quote.quote_key}/authorize`, {
      terms_version: '2020-01-01',
    });
    expect([old.status, old.body.code]).toEqual([409, 'terms_version_mismatch']);
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.authorize(quote.quote_key)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body.job_key)).size).toBe(1);
    const me = await agent.get('/api/agent/v1/me');
    expect(me.body.spend).toEqual({
      today_microcents: 500_000_000,
      total_microcents: 500_000_000,
      reserved_microcents: 500_000_000,
    });
  });
});

describe('a grant', () => {
  it('admits exactly what fits its daily limit when 30 authorizations race', async () => {
    const agent = await arrive();
    const quotes = await Promise.all(Array.from({ length: 30 }, () => agent.quote()));
    const answers = await Promise.all(quotes.map((quote) => agent.authorize(quote.body.quote_key)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
    const refused = answers.find((answer) => answer.status === 403);
    expect(refused?.body).toMatchObject({
      code: 'grant_limit_exceeded',
      limit: 'daily',
      limit_microcents: 5_000_000_000,
      used_microcents: 5_000_000_000,
      remaining_microcents: 0,
    });
  });
});

describe('a request that is repeated', () => {
  it('is answered byte for byte, and has one effect when 100 arrive at once', async () => {
    const agent = await arrive();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 100 }, () => agent.quote({ idempotency_key: key })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.every((answer) => answer.status === 201)).toBe(true);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
    const quotes = await service.database.pool.query('select 1 from quotes where principal_key = $1', [
      agent.wallet.address.toLowerCase(),
    ]);
    expect(quotes.rowCount).toBe(1);
  });

  it('keeps a refusal that will not change, and refuses the key for another body', async () => {
    const agent = await arrive();
    const key = randomUUID();
    const first = await agent.quote({ idempotency_key: key, max_price_microcents: 1 });
    const second = await agent.quote({ idempotency_key: key, max_price_microcents: 1 });
    expect([first.status, second.text]).toEqual([422, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await agent.quote({ idempotency_key: key, max_price_microcents: 2 });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_conflict']);
  });

  it('needs its key where money follows, the same in header and body', async () => {
    const agent = await arrive();
    const body = { ...exampleRequest, max_price_microcents: 500_000_000 };
    const missing = await agent.post('/api/agent/v1/checks', body);
    expect([missing.status, missing.body.code]).toEqual([400, 'idempotency_key_required']);
    const differing = await agent.post(
      '/api/agent/v1/checks',
      { ...body, idempotency_key: 'a' },
      { 'idempotency-key': 'b' },
    );
    expect([differing.status, differing.body.code]).toEqual([400, 'idempotency_key_mismatch']);
    const inHeader = await agent.post('/api/agent/v1/checks', body, { 'idempotency-key': randomUUID() });
    expect(inHeader.status).toBe(201);
  });

  it('under the key of another principal sees nothing of it', async () => {
    const [first, second] = await Promise.all([arrive(), arrive()]);
    const key = randomUUID();
    const [a, b] = [await first.quote({ idempotency_key: key }), await second.quote({ idempotency_key: key })];
    expect(a.body.quote_key).not.toBe(b.body.quote_key);
  });
});

describe('a review', () => {
  it('is made by whom the grant lets review, of the newest report, and never by the producer of the work', async () => {
    const agent = await arrive();
    const wallet = agent.wallet.address.toLowerCase();
    const jobKey = await agent.paidJob({ producer: { wallet: agent.wallet.address } });
    await service.execute(jobKey);
    const accept = (more = {}) => agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept', ...more });
    const other = await accept({ report_digest: `sha256:${'0'.repeat(64)}` });
    expect([other.status, other.body.code]).toEqual([409, 'report_changed']);
    const own = await accept();
    expect([own.status, own.body.code]).toEqual([403, 'producer_may_not_accept']);
    const allow = (may: boolean) =>
      service.database.pool.query('update grants set review_authority = $1 where principal_key = $2', [may, wallet]);
    await allow(false);
    const outside = await accept();
    await allow(true);
    expect([outside.status, outside.body.code]).toEqual([403, 'grant_scope_missing']);
  });
});

describe('following a job', () => {
  it('answers 304 while nothing has changed, and waits for the change when asked to', async () => {
    const agent = await arrive();
    const jobKey = await agent.paidJob();
    const first = await agent.job(jobKey);
    const etag = first.headers.get('etag') ?? '';
    const same = await agent.job(jobKey, { 'if-none-match': etag });
    expect([same.status, same.text]).toEqual([304, '']);
    const waiting = agent.job(jobKey, { prefer: 'wait=20', 'if-none-match': etag });
    await service.execute(jobKey);
    const changed = await waiting;
    expect(changed.status).toBe(200);
    expect(changed.body.state).not.toBe('queued');
  });
});

describe('a worker', () => {
  it('delivers one report when eight of them take the same job', async () => {
    const agent = await arrive();
    const jobKey = await agent.paidJob();
    await Promise.all(Array.from({ length: 8 }, () => service.execute(jobKey)));
    const reports = await service.database.pool.query('select 1 from reports where job_key = $1', [jobKey]);
    expect(reports.rowCount).toBe(1);
    expect((await agent.job(jobKey)).body.state).toBe('delivered');
  });

  it('that misses its deadline leaves a failed job and wallet credit', async () => {
    const agent = await arrive();
    const jobKey = await agent.paidJob();
    service.advanceClock(1_801);
    await service.sweep();
    await agent.signIn();
    expect((await agent.job(jobKey)).body).toMatchObject({
      state: 'failed',
      payment_state: 'credited',
      charge_state: 'none',
    });
    expect((await agent.get('/api/agent/v1/me')).body.wallet_credit_microcents).toBe(500_000_000);
    service.advanceClock(-1_801);
  });

  it.each([
    ['whose content is gone', 'update quotes set input = null, input_deleted_at = now() from jobs'],
    ['that broke three workers', 'update jobs set tries = 3 from quotes'],
  ])('fails a job %s at once: charge 0, wallet credit, which keeps its room', async (_, damage) => {
    const agent = await arrive();
    const jobKey = await agent.paidJob();
    await service.database.pool.query(`${damage} where jobs.quote_key = quotes.quote_key and job_key = $1`, [jobKey]);
    await service.execute(jobKey);
    expect((await agent.job(jobKey)).body).toMatchObject({
      state: 'failed',
      payment_state: 'credited',
      charge_state: 'none',
    });
    expect((await agent.get('/api/agent/v1/me')).body).toMatchObject({
      wallet_credit_microcents: 500_000_000,
      spend: { today_microcents: 500_000_000 },
    });
    expect((await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body).toMatchObject({
      report_digest: null,
      charge: { state: 'none', amount_microcents: 0 },
      remedy: { kind: 'wallet_credit', state: 'credited', amount_microcents: 500_000_000 },
    });
  });

  it('lets a job that nobody paid for lapse, and gives its reservation back', async () => {
    const agent = await arrive();
    const jobKey = await agent.authorizedJob();
    service.advanceClock(86_401);
    await service.sweep();
    await agent.signIn();
    expect((await agent.job(jobKey)).body.state).toBe('canceled');
    service.advanceClock(-86_401);
  });
});

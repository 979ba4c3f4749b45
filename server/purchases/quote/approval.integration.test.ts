import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent, Answer } from '../../../e2e/support/agent.ts';
import { Customer, connectedAgent } from '../../../e2e/support/customer.ts';
import { linkOfInvited, Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';
import { queueDueLetters } from '../../mail/due-letters.ts';
import { price } from '../../service/terms.ts';

const service = await startService();
const { pool } = service.database;

let agent: Agent;
let customer: Customer;
let owner: Member;
let key: string;

const connected = async () => {
  const { agent, customer, registration } = await connectedAgent(service);
  await agent.get('/api/agent/v1/me');
  const owner = await Member.of(service, agent, customer.email);
  return { agent, customer, owner, key: registration.body.agent_key as string };
};

beforeEach(async () => {
  ({ agent, customer, owner, key } = await connected());
});

const grant = (body: Record<string, unknown>) => owner.post(`/api/agent/v1/agents/${key}/grant`, body);
const authorize = ({ quote_key, terms_version }: Answer['body'], by = agent): Promise<Answer> =>
  by.post(`/api/agent/v1/purchases/${quote_key}/authorize`, { terms_version });
const quoted = async (): Promise<Answer['body']> => (await agent.quote()).body;
const decide = (approvalKey: string, decision: 'approve' | 'decline', by = owner): Promise<Answer> =>
  by.post(`/api/agent/v1/approvals/${approvalKey}/decision`, { decision });
const codes = (answers: Answer[]) => answers.map(({ status, body }) => [status, body.code ?? body.state]);

/** A quote that its agent was told to ask about. */
async function asked(): Promise<{ quote: Answer['body']; refusal: Answer; approvalKey: string }> {
  const quote = await quoted();
  const refusal = await authorize(quote);
  expect(refusal.body.code).toBe('approval_required');
  return { quote, refusal, approvalKey: refusal.body.approval_key };
}

describe('a grant with an end', () => {
  it('covers nothing from then on, and says so', async () => {
    const ends = new Date(service.runtime.clock().getTime() + 60_000).toISOString();
    expect((await grant({ expires_at: ends })).body.grant.expires_at).toBe(ends);
    const quote = await quoted();
    const job = (await authorize(quote)).body;
    service.advanceClock(61);
    const answers = [await agent.quote(), await authorize(quote), await agent.pay(job.job_key)];
    expect(codes(answers)).toEqual([
      [403, 'grant_scope_missing'],
      [403, 'grant_scope_missing'],
      [403, 'grant_scope_missing'],
    ]);
    const seen = (await agent.get(`/api/agent/v1/jobs/${job.job_key}`)).body;
    expect(seen.next_actions.map(({ action }: { action: string }) => action)).toEqual(['cancel']);
    expect((await agent.get('/api/agent/v1/me')).body.grant.expires_at).toBe(ends);
  });

  it('is ended sooner at any time, and later after a fresh sign-in only', async () => {
    service.advanceClock(3_600);
    const at = (days: number) => new Date(service.runtime.clock().getTime() + days * 86_400_000).toISOString();
    expect((await grant({ expires_at: at(7) })).status).toBe(200);
    expect((await grant({ expires_at: at(1) })).status).toBe(200);
    expect(codes([await grant({ expires_at: at(2) }), await grant({ expires_at: null })])).toEqual([
      [403, 'fresh_sign_in_required'],
      [403, 'fresh_sign_in_required'],
    ]);
  });
});

describe('a purchase above what the agent may spend alone', () => {
  beforeEach(async () => {
    await grant({ approval_above_microcents: Number(price) - 1 });
  });

  it('is asked for once, approved on a page, and bought by the agent', async () => {
    const { quote, refusal, approvalKey } = await asked();
    expect(refusal.status).toBe(403);
    expect(refusal.body.expires_at).toBe(quote.expires_at);
    const page = `${service.baseUrl}/approvals/${approvalKey}`;
    expect(refusal.body.next_actions).toEqual([
      expect.objectContaining({ action: 'approve', actor: 'customer', method: 'GET', href: page }),
    ]);
    // A repeat asks nobody again.
    expect((await authorize(quote)).body.approval_key).toBe(approvalKey);
    await queueDueLetters(service.runtime);
    const letters = (await customer.letters()).filter(({ text }) => text.includes(page));
    expect(letters.map(({ subject }) => subject)).toEqual(['An agent asks to spend 5.00 USD']);
    const waiting = (await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`)).body;
    expect([waiting.state, waiting.approval.state, waiting.job_key]).toEqual(['open', 'open', null]);
    expect((await agent.get('/api/agent/v1/me')).body.spend.today_microcents).toBe(0);
    const listed = (await owner.get('/api/agent/v1/approvals')).body.approvals;
    expect(listed).toEqual([
      expect.objectContaining({ approval_key: approvalKey, price_microcents: Number(price), above_limits: false }),
    ]);
    expect(listed[0].agent).toMatchObject({ agent_key: key, spend: { today_microcents: 0 } });
    expect((await decide(approvalKey, 'approve')).body).toMatchObject({ state: 'approved', decided_by: owner.email });
    const approved = (await agent.get(`/api/agent/v1/purchases/${quote.quote_key}`)).body;
    expect(approved.next_actions.map(({ action }: { action: string }) => action)).toEqual(['authorize']);
    const job = await authorize(quote);
    expect([job.status, job.body.state]).toEqual([201, 'awaiting_payment']);
    expect((await owner.get(`/api/agent/v1/approvals/${approvalKey}`)).body).toMatchObject({
      state: 'used',
      job_key: job.body.job_key,
    });
    expect((await owner.get('/api/agent/v1/approvals')).body.approvals).toEqual([]);
    const history = (await owner.get(`/api/agent/v1/agents/${key}/history`)).body.events;
    expect(history.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual([
      'approval_given',
      'approval_asked',
    ]);
  });

  it('is asked of those who may answer, in a letter that nobody else gets', async () => {
    const invited = ['approver', 'reader'].map((role) => ({ role, person: new Customer(service) }));
    for (const { role, person } of invited) {
      const link = await linkOfInvited(service, owner, { role, email: person.email });
      expect((await agent.post('/api/agent/v1/invitations/accept', { link })).body.state).toBe('accepted');
    }
    await asked();
    await queueDueLetters(service.runtime);
    const questions = [];
    for (const person of [customer, ...invited.map(({ person }) => person)]) {
      questions.push((await person.letters()).filter(({ subject }) => subject.startsWith('An agent asks')).length);
    }
    expect(questions).toEqual([1, 1, 0]);
  });

  it('asks with an idempotency key, too, and the same key buys after the yes', async () => {
    const quote = await quoted();
    const keyed = () =>
      agent.post(
        `/api/agent/v1/purchases/${quote.quote_key}/authorize`,
        { terms_version: quote.terms_version },
        { 'idempotency-key': 'one' },
      );
    const refusal = await keyed();
    expect(codes([refusal, await keyed()])).toEqual([
      [403, 'approval_required'],
      [403, 'approval_required'],
    ]);
    await decide(refusal.body.approval_key, 'approve');
    expect((await keyed()).status).toBe(201);
  });

  it('is for good declined for its quote, and another quote may be asked about', async () => {
    const { quote, approvalKey } = await asked();
    expect((await decide(approvalKey, 'decline')).body.state).toBe('declined');
    expect(codes([await authorize(quote), await decide(approvalKey, 'approve')])).toEqual([
      [403, 'approval_declined'],
      [409, 'action_not_allowed'],
    ]);
    expect((await asked()).approvalKey).not.toBe(approvalKey);
  });

  it('is one question at a time', async () => {
    const { approvalKey } = await asked();
    const second = await authorize(await quoted());
    expect([second.body.code, second.body.approval_key]).toEqual(['approval_required', approvalKey]);
    service.advanceClock(1_801);
    expect((await asked()).approvalKey).not.toBe(approvalKey);
  });

  it('is approved once, whatever is sent twice or at once', async () => {
    const { quote, approvalKey } = await asked();
    const both = await Promise.all([decide(approvalKey, 'approve'), decide(approvalKey, 'approve')]);
    expect(codes(both)).toEqual([
      [200, 'approved'],
      [200, 'approved'],
    ]);
    const jobs = await Promise.all([authorize(quote), authorize(quote), authorize(quote)]);
    expect(jobs.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
    expect(new Set(jobs.map(({ body }) => body.job_key)).size).toBe(1);
    const { rows } = await pool.query(
      "select count(*)::int from account_events where action = 'approval_given' and principal_key = $1",
      [key],
    );
    expect(rows).toEqual([{ count: 1 }]);
    expect(codes([await decide(approvalKey, 'decline')])).toEqual([[409, 'action_not_allowed']]);
  });

  it('goes to whoever was first when a yes and a no race, and never to both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { quote, approvalKey } = await asked();
      await Promise.all([decide(approvalKey, 'approve'), decide(approvalKey, 'decline')]);
      const { state } = (await owner.get(`/api/agent/v1/approvals/${approvalKey}`)).body;
      // A no that comes second takes the yes back: it was not used.
      expect([state, (await authorize(quote)).body.code]).toEqual(['declined', 'approval_declined']);
    }
  });

  it('is bought or taken back, not both, when the no meets the purchase', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { quote, approvalKey } = await asked();
      await decide(approvalKey, 'approve');
      const [no, bought] = await Promise.all([decide(approvalKey, 'decline'), authorize(quote)]);
      const { state } = (await owner.get(`/api/agent/v1/approvals/${approvalKey}`)).body;
      expect([state, no.status, bought.status]).toEqual(
        bought.status === 201 ? ['used', 409, 201] : ['declined', 200, 403],
      );
    }
  });

  it('counts for its quote alone', async () => {
    const { approvalKey } = await asked();
    await decide(approvalKey, 'approve');
    expect((await authorize(await quoted())).body.code).toBe('approval_required');
  });

  it('ends with its quote, asked or approved', async () => {
    const { quote, approvalKey } = await asked();
    await decide(approvalKey, 'approve');
    service.advanceClock(1_801);
    expect((await authorize(quote)).body.code).toBe('quote_expired');
    expect((await owner.get(`/api/agent/v1/approvals/${approvalKey}`)).body.state).toBe('lapsed');
    const late = await asked();
    service.advanceClock(1_801);
    owner = await Member.of(service, agent, customer.email);
    expect(codes([await decide(late.approvalKey, 'approve')])).toEqual([[409, 'quote_expired']]);
  });

  it('is checked again when it is bought: limits lowered and agents paused in between count', async () => {
    const { quote, approvalKey } = await asked();
    await decide(approvalKey, 'approve');
    await grant({ per_job_limit_microcents: Number(price) - 1 });
    expect((await authorize(quote)).body).toMatchObject({ code: 'grant_limit_exceeded', limit: 'per_job' });
    await grant({ per_job_limit_microcents: Number(price) });
    await owner.post(`/api/agent/v1/agents/${key}/pause`, { paused: true });
    expect((await authorize(quote)).body.code).toBe('grant_scope_missing');
    await owner.post(`/api/agent/v1/agents/${key}/pause`, { paused: false });
    expect((await authorize(quote)).status).toBe(201);
  });

  it('is no business of other accounts, nor of the agent', async () => {
    const { quote, approvalKey } = await asked();
    const other = await connected();
    const strangers = [
      await decide(approvalKey, 'approve', other.owner),
      await other.owner.get(`/api/agent/v1/approvals/${approvalKey}`),
      await authorize(quote, other.agent),
    ];
    expect(codes(strangers)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    const byAgent = await agent.post(`/api/agent/v1/approvals/${approvalKey}/decision`, { decision: 'approve' });
    expect(codes([byAgent])).toEqual([[401, 'invalid_token']]);
    expect((await other.owner.get('/api/agent/v1/approvals')).body.approvals).toEqual([]);
  });

  it('needs a fresh sign-in for a yes, and none for a no', async () => {
    service.advanceClock(3_600);
    const { approvalKey } = await asked();
    expect(codes([await decide(approvalKey, 'approve'), await decide(approvalKey, 'decline')])).toEqual([
      [403, 'fresh_sign_in_required'],
      [200, 'declined'],
    ]);
  });

  it('is not asked for where a limit would refuse it anyway', async () => {
    await grant({ daily_limit_microcents: 0 });
    expect((await authorize(await quoted())).body.code).toBe('grant_limit_exceeded');
    expect((await owner.get('/api/agent/v1/approvals')).body.approvals).toEqual([]);
  });

  it('needs no approval any more when the customer raised the threshold: the question is closed', async () => {
    const { quote, approvalKey } = await asked();
    await grant({ approval_above_microcents: Number(price) });
    expect((await authorize(quote)).status).toBe(201);
    expect((await owner.get(`/api/agent/v1/approvals/${approvalKey}`)).body.state).toBe('lapsed');
    expect(codes([await decide(approvalKey, 'approve')])).toEqual([[409, 'quote_expired']]);
  });
});

describe('a purchase above a limit', () => {
  it('is asked for where the customer allowed that, and a yes lets this one pass', async () => {
    await grant({ daily_limit_microcents: Number(price), may_ask_above_limits: true });
    expect((await authorize(await quoted())).status).toBe(201);
    const { quote, approvalKey } = await asked();
    expect((await owner.get(`/api/agent/v1/approvals/${approvalKey}`)).body.above_limits).toBe(true);
    await decide(approvalKey, 'approve');
    const job = await authorize(quote);
    expect([job.status, (await agent.get('/api/agent/v1/me')).body.spend.today_microcents]).toEqual([
      201,
      2 * Number(price),
    ]);
    expect(job.body.next_actions.map(({ action }: { action: string }) => action)).toContain('pay');
    // Only this one.
    expect((await authorize(await quoted())).body.code).toBe('approval_required');
  });

  it('is refused when the customer no longer allows it, a yes or not', async () => {
    await grant({ daily_limit_microcents: 0, may_ask_above_limits: true });
    const { quote, approvalKey } = await asked();
    await decide(approvalKey, 'approve');
    await grant({ may_ask_above_limits: false });
    expect((await authorize(quote)).body).toMatchObject({ code: 'grant_limit_exceeded', limit: 'daily' });
  });

  it('cannot pass the limits in the database without a yes to that', async () => {
    const { job_key } = (await authorize(await quoted())).body;
    await expect(pool.query('update jobs set above_limits = true where job_key = $1', [job_key])).rejects.toThrow(
      'nobody let',
    );
    await expect(
      pool.query(
        'update grant_usage set used_microcents = used_microcents + 100000000000 where grant_key = (select grant_key from jobs where job_key = $1)',
        [job_key],
      ),
    ).rejects.toThrow('passes a limit');
  });
});

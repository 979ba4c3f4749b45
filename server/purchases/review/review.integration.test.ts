import { beforeAll, describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../../client/verify-receipt.ts';
import { Agent, type Answer } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { perform } from '../../door/perform.ts';
import { seconds } from '../../service/terms.ts';
import { operatorContext } from '../../transports/context.ts';

const service = await startService();
const arrive = () => Agent.arrive(service);
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;

/** Half a review window: two of them are past it. */
const halfWindow = seconds.reviewWindow / 2 + 1;

interface Reviewed {
  agent: Agent;
  jobKey: string;
}

async function delivered(changes: Record<string, unknown> = {}): Promise<Reviewed> {
  const agent = await arrive();
  const jobKey = await agent.paidJob(changes);
  await service.execute(jobKey);
  return { agent, jobKey };
}

async function redelivered(changes: Record<string, unknown> = {}): Promise<Reviewed> {
  const reviewed = await delivered(changes);
  await dispute(reviewed);
  await service.execute(reviewed.jobKey);
  return reviewed;
}

const review = ({ agent, jobKey }: Reviewed, body: Record<string, unknown>) =>
  agent.post(`${jobAt(jobKey)}/review`, body);
const accept = (reviewed: Reviewed, more = {}) => review(reviewed, { decision: 'accept', ...more });
const dispute = (reviewed: Reviewed, more = {}) =>
  review(reviewed, { decision: 'dispute', reason: 'citation_invalid', ...more });
const job = async ({ agent, jobKey }: Reviewed) => (await agent.job(jobKey)).body;
const report = ({ agent, jobKey }: Reviewed, query = '') => agent.get(`${jobAt(jobKey)}/report${query}`);
const receipt = async ({ agent, jobKey }: Reviewed) => (await agent.get(`${jobAt(jobKey)}/receipt`)).body;
const actions = async (reviewed: Reviewed) =>
  (await job(reviewed)).next_actions.map((next: { action: string }) => next.action);
const refusal = (answer: Answer) => [answer.status, answer.body.code];

/** The job's messages in the queue. */
const messagesOf = ({ jobKey }: Reviewed, verb: 'select 1' | 'delete') =>
  service.database.pool.query(`${verb} from pgboss.job where data ->> 'job_key' = $1`, [jobKey]);

/** Does `work` after moving the clock; renews sessions, which end meanwhile. */
async function later(reviewed: Reviewed, wait: number, work: () => Promise<void>): Promise<void> {
  service.advanceClock(wait);
  await reviewed.agent.signIn();
  await work();
  service.advanceClock(-wait);
}

describe('the first dispute', () => {
  it('has the work checked once more, and the new report says why and what differs', async () => {
    const reviewed = await delivered();
    const first = (await job(reviewed)).report_digest;
    // The worker has taken the message of the first check.
    await messagesOf(reviewed, 'delete');
    const disputed = await dispute(reviewed, {
      detail: 'The second figure is in the table.',
      correction_request: { look_at: 'row 2' },
    });
    expect(disputed.body).toMatchObject({
      state: 'rechecking',
      payment_state: 'collected',
      charge_state: 'held',
      review_state: 'disputed',
      deadlines: { review_by: null },
    });
    expect((await messagesOf(reviewed, 'select 1')).rowCount).toBe(1);
    expect(await actions(reviewed)).toEqual(['report', 'receipt']);
    expect(refusal(await accept(reviewed))).toEqual([409, 'action_not_allowed']);
    expect((await receipt(reviewed)).remedy).toMatchObject({ kind: 'correction', state: 'pending' });

    await service.execute(reviewed.jobKey);
    const after = await job(reviewed);
    expect(after).toMatchObject({ state: 'redelivered', charge_state: 'held', review_state: 'open' });
    expect(after.report_digest).not.toBe(first);
    expect(after.deadlines.review_by).not.toBeNull();
    expect((await report(reviewed)).body.correction).toMatchObject({
      reason: 'citation_invalid',
      previous_report_digest: first,
    });
    expect((await report(reviewed, `?report_digest=${first}`)).body.correction).toBeUndefined();
    expect(await receipt(reviewed)).toMatchObject({
      sequence: 4,
      report_digest: after.report_digest,
      charge: { state: 'held' },
      remedy: { kind: 'correction', state: 'delivered' },
    });
  });

  it('has one effect when 20 arrive at once', async () => {
    const reviewed = await delivered();
    const answers = await Promise.all(Array.from({ length: 20 }, () => dispute(reviewed)));
    expect(answers.map((answer) => answer.body.state)).toEqual(answers.map(() => 'rechecking'));
    await Promise.all(Array.from({ length: 4 }, () => service.execute(reviewed.jobKey)));
    const { rows } = await service.database.pool.query('select number from reports where job_key = $1', [
      reviewed.jobKey,
    ]);
    expect(rows).toHaveLength(2);
  });

  it('that is repeated late, under its key or with its digest, is not a second one', async () => {
    const reviewed = await delivered();
    const first = await dispute(reviewed, { idempotency_key: 'first-dispute' });
    const { report_digest } = first.body;
    await service.execute(reviewed.jobKey);
    const repeated = await dispute(reviewed, { idempotency_key: 'first-dispute' });
    expect([repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(refusal(await dispute(reviewed, { report_digest }))).toEqual([409, 'report_changed']);
    expect(await actions(reviewed)).toContain('review');
    expect((await dispute(reviewed)).body.state).toBe('waived');
  });

  it('needs a reason from the list; an acceptance has none', async () => {
    const reviewed = await delivered();
    const silent = await review(reviewed, { decision: 'dispute' });
    expect(silent.body.errors[0]).toMatchObject({ pointer: '/reason', code: 'required' });
    expect((await dispute(reviewed, { reason: 'too_expensive' })).body.errors[0].pointer).toBe('/reason');
    expect((await accept(reviewed, { reason: 'other' })).body.errors[0].pointer).toBe('/reason');
    expect((await dispute(reviewed, { detail: 'x'.repeat(2_001) })).body.errors[0]).toMatchObject({
      pointer: '/detail',
      limit: 2_000,
    });
    expect((await dispute(reviewed, { detail: '漢'.repeat(2_000) })).body.state).toBe('rechecking');
  });

  it('that races an acceptance leaves one of the two', async () => {
    const reviewed = await delivered();
    const answers = await Promise.all([accept(reviewed), dispute(reviewed), accept(reviewed), dispute(reviewed)]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(['accepted', 'rechecking']).toContain((await job(reviewed)).state);
  });
});

describe('an acceptance', () => {
  it('that is sent twenty times at once is one, and each is told so', async () => {
    const reviewed = await delivered();
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(reviewed)));
    expect(answers.map(({ status, body }) => [status, body.state])).toEqual(Array(20).fill([200, 'accepted']));
    expect((await receipt(reviewed)).sequence).toBe(3);
  });
});

describe('a corrected report', () => {
  it('is accepted by its digest, so that nobody accepts a report that was replaced', async () => {
    const reviewed = await delivered();
    const old = (await job(reviewed)).report_digest;
    await dispute(reviewed);
    await service.execute(reviewed.jobKey);
    const newest = (await job(reviewed)).report_digest;
    for (const report_digest of [undefined, old]) {
      const refused = await accept(reviewed, { report_digest });
      expect(refusal(refused)).toEqual([409, 'report_changed']);
      expect(refused.body.report_digest).toBe(newest);
    }
    // A late repeat of the first report's dispute is not a dispute of the second.
    expect(refusal(await dispute(reviewed, { report_digest: old }))).toEqual([409, 'report_changed']);
    const accepted = await accept(reviewed, { report_digest: newest });
    expect(accepted.body).toMatchObject({ state: 'accepted', charge_state: 'final' });
    expect((await accept(reviewed)).body.state).toBe('accepted');
    expect(refusal(await dispute(reviewed))).toEqual([409, 'action_not_allowed']);
  });

  it('that is disputed, too, is not charged: the collection is owed back, once', async () => {
    const reviewed = await redelivered();
    const answers = await Promise.all(Array.from({ length: 8 }, () => dispute(reviewed, { reason: 'other' })));
    for (const { body } of answers) {
      expect(body).toMatchObject({
        state: 'waived',
        payment_state: 'refund_pending',
        charge_state: 'waived',
        review_state: 'disputed',
      });
    }
    expect(await actions(reviewed)).toEqual(['report', 'receipt']);
    expect(await receipt(reviewed)).toMatchObject({
      charge: { state: 'waived', amount_microcents: 0 },
      remedy: { kind: 'refund', state: 'refund_pending', amount_microcents: 500_000_000 },
    });
    expect((await reviewed.agent.get('/api/agent/v1/me')).body.spend.today_microcents).toBe(500_000_000);
    expect(refusal(await accept(reviewed))).toEqual([409, 'action_not_allowed']);
  });

  it('that was paid for out of credit becomes credit again', async () => {
    const agent = await arrive();
    await agent.post(`${jobAt(await agent.paidJob())}/cancel`);
    const jobKey = await agent.authorizedJob();
    await agent.post(`${jobAt(jobKey)}/payments`, {
      rail: 'x402',
      method: 'wallet_credit',
      idempotency_key: 'out-of-credit',
    });
    const reviewed = { agent, jobKey };
    for (const state of ['rechecking', 'waived']) {
      await service.execute(jobKey);
      expect((await dispute(reviewed)).body.state).toBe(state);
    }
    expect((await job(reviewed)).payment_state).toBe('credited');
    expect((await agent.get('/api/agent/v1/me')).body.wallet_credit_microcents).toBe(500_000_000);
    expect((await receipt(reviewed)).remedy).toMatchObject({
      kind: 'wallet_credit',
      reason: 'The buyer disputed the report again after the correction.',
    });
  });

  it('has a review window of its own', async () => {
    const reviewed = await delivered();
    await later(reviewed, halfWindow, async () => {
      await dispute(reviewed);
      await service.execute(reviewed.jobKey);
      await later(reviewed, halfWindow, async () => {
        expect((await job(reviewed)).review_state).toBe('open');
        expect((await dispute(reviewed)).body.state).toBe('waived');
      });
    });
  });
});

describe('the receipts of a job', () => {
  it('tell its whole story, each signed and naming the one before', async () => {
    const reviewed = await redelivered();
    const { agent, jobKey } = reviewed;
    await dispute(reviewed);
    await service.sweep();
    const { receipts } = (await agent.get(`${jobAt(jobKey)}/receipts`)).body;
    const told = receipts.map(({ charge, remedy }: Record<string, { state: string; kind?: string }>) => [
      charge?.state,
      remedy?.kind,
      remedy?.state,
    ]);
    expect(told).toEqual([
      ['held', 'none', 'none'],
      ['held', 'none', 'none'],
      ['held', 'correction', 'pending'],
      ['held', 'correction', 'delivered'],
      ['waived', 'refund', 'refund_pending'],
      ['waived', 'refund', 'refunded'],
    ]);
    const { body: keys } = await agent.get('/.well-known/jwks.json');
    for (const each of receipts) await verifyReceipt(each, keys);
    expect((await job(reviewed)).payment_state).toBe('refunded');
  });
});

describe('a re-check that fails', () => {
  it('waives the charge', async () => {
    const reviewed = await delivered();
    await dispute(reviewed);
    service.advanceClock(seconds.executionDeadline + 1);
    await service.sweep();
    await reviewed.agent.signIn();
    expect(await job(reviewed)).toMatchObject({
      state: 'waived',
      charge_state: 'waived',
      payment_state: 'refunded',
      failure: 'The report was not delivered in time.',
    });
    expect((await receipt(reviewed)).remedy.reason).toBe('The correction could not be delivered.');
    expect((await report(reviewed)).status).toBe(200);
    service.advanceClock(-seconds.executionDeadline - 1);
  });

  it('is found when its message is lost, and done by another worker', async () => {
    const reviewed = await delivered();
    await dispute(reviewed);
    await messagesOf(reviewed, 'delete');
    const worker = service.startWorker();
    await expect.poll(async () => (await job(reviewed)).state, { timeout: 60_000 }).toBe('redelivered');
    await worker.stop();
  });
});

describe('a review that is overdue', () => {
  it('stays pending: nothing accepts by itself, disputes are over, accepting is not', async () => {
    const reviewed = await delivered();
    await later(reviewed, seconds.reviewWindow + 1, async () => {
      await service.sweep();
      const overdue = await job(reviewed);
      expect(overdue).toMatchObject({ state: 'delivered', charge_state: 'held', review_state: 'overdue' });
      const next = overdue.next_actions.find(({ action }: { action: string }) => action === 'review');
      expect(next.expires_at).toBeUndefined();
      expect(refusal(await dispute(reviewed))).toEqual([409, 'dispute_window_closed']);
      expect((await accept(reviewed)).body.state).toBe('accepted');
    });
  });

  it('is ended by an operator, who gives up the charge and says why', async () => {
    const reviewed = await delivered();
    const waive = () =>
      perform('waive_charge', operatorContext(service.runtime), {
        key: reviewed.jobKey,
        reason: 'The customer is gone.',
      });
    await expect(waive()).rejects.toThrow('not overdue');
    await later(reviewed, seconds.reviewWindow + 1, async () => {
      await waive();
      expect(await job(reviewed)).toMatchObject({
        state: 'waived',
        payment_state: 'refund_pending',
        charge_state: 'waived',
        review_state: 'not_open',
      });
      expect((await receipt(reviewed)).remedy).toMatchObject({
        kind: 'refund',
        reason: 'The service waived the charge.',
      });
      await expect(waive()).rejects.toThrow('The job is waived');
      expect(refusal(await dispute(reviewed))).toEqual([409, 'action_not_allowed']);
    });
  });
});

describe('the producer of the work', () => {
  let own: Reviewed;
  beforeAll(async () => {
    const agent = await arrive();
    const jobKey = await agent.paidJob({ producer: { wallet: agent.wallet.address } });
    await service.execute(jobKey);
    own = { agent, jobKey };
  });

  it('may not accept the report, also once the content that names it is gone', async () => {
    expect(refusal(await accept(own))).toEqual([403, 'producer_may_not_accept']);
    await service.database.pool.query(
      `update quotes set input = null, input_deleted_at = now() from jobs
       where quotes.quote_key = jobs.quote_key and job_key = $1`,
      [own.jobKey],
    );
    expect(refusal(await accept(own))).toEqual([403, 'producer_may_not_accept']);
  });

  it('may dispute it while that is possible, and is listed no review afterwards', async () => {
    expect(await actions(own)).toContain('review');
    await later(own, seconds.reviewWindow + 1, async () => {
      expect(await actions(own)).toEqual(['report', 'receipt']);
    });
    expect((await dispute(own)).body.state).toBe('rechecking');
    await service.execute(own.jobKey);
    // The content is deleted, so the included re-check is impossible.
    expect(await job(own)).toMatchObject({ state: 'waived', payment_state: 'refund_pending' });
  });
});

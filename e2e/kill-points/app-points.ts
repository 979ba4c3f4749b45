import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import { price, service } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import { type Agent, type Answer, clearFaults, facilitatorFault, settlementsOf } from '../support/agent.ts';
import type { StoppingPoint } from './database-tap.ts';
import { inState, type Request, type Stage } from './stage.ts';

/** What an agent does when the app dies during its request, and how it must have ended once. */
export interface Act {
  /** Who does it; by default somebody with a wallet. */
  arrive?(stage: Stage): Promise<Agent>;
  /** The steps before, on a surviving app, and the request during which the app dies. */
  request(agent: Agent, stage: Stage): Promise<Request>;
  /** The status of a repeat that comes after the work was done, where that is no success. */
  readonly repeated?: number;
  /** What must exist once, or the job's required state, in the end. */
  ended(agent: Agent, stage: Stage, answer: Answer, request: Request): Promise<void>;
}

/** A point at which the app is killed: the stage of its work, and the statement that marks it. */
export interface AppPoint {
  readonly point: string;
  readonly act: Act;
  readonly stopAt: StoppingPoint;
  /** In long trials only: another point leaves the same behind. */
  readonly inFull?: true;
}

export const keyed = (path: string, body: Request['body'], headers: Record<string, string> = {}): Request => ({
  path,
  body,
  headers: { 'idempotency-key': randomUUID(), ...headers },
});
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;

export async function count(stage: Stage, statement: string, key: string): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(`select count(*)::int as count from ${statement}`, [
    key,
  ]);
  return rows[0]?.count ?? 0;
}

async function deliveredJob(agent: Agent, stage: Stage): Promise<string> {
  const jobKey = await agent.paidJob();
  await inState(stage, agent, jobKey, { state: 'delivered' });
  return jobKey;
}

const asking: Act = {
  request: async () => keyed('/api/agent/v1/checks', { ...exampleRequest, max_price_microcents: Number(price) }),
  async ended(agent, stage) {
    const wallet = agent.wallet.address.toLowerCase();
    expect(await count(stage, 'quotes where principal_key = $1', wallet)).toBe(1);
  },
};

const authorizing: Act = {
  async request(agent) {
    const { body } = await agent.quote();
    return keyed(`/api/agent/v1/purchases/${body.quote_key}/authorize`, { terms_version: service.termsVersion });
  },
  async ended(_agent, stage, { body }) {
    expect(await count(stage, 'jobs where quote_key = $1', body.quote_key)).toBe(1);
  },
};

/** The job was paid once and delivered once. */
export async function boughtOnce(agent: Agent, stage: Stage, { body }: Answer): Promise<void> {
  await inState(stage, agent, body.job_key, { state: 'delivered', payment_state: 'collected' });
  expect(await count(stage, "payments where state = 'collected' and job_key = $1", body.job_key)).toBe(1);
  expect(await count(stage, 'reports where job_key = $1', body.job_key)).toBe(1);
}

const paying: Act = {
  async request(agent) {
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    return keyed(`${jobAt(jobKey)}/payments`, { rail: 'x402' }, { 'payment-signature': signature });
  },
  async ended(agent, stage, answer) {
    await boughtOnce(agent, stage, answer);
    const settlements = await settlementsOf(stage.stack.sandboxUrl, agent.wallet.address);
    expect(settlements.flatMap((settlement) => settlement.transactions)).toHaveLength(1);
  },
};

/** A job to cancel: afterwards its price is credit. */
const payingFromCredit: Act = {
  async request(agent, stage) {
    await canceledJob(agent, stage);
    const jobKey = await agent.authorizedJob();
    return keyed(`${jobAt(jobKey)}/payments`, { rail: 'x402', method: 'wallet_credit' });
  },
  ended: boughtOnce,
};

/** Paid and canceled before a worker finished it. */
async function canceledJob(agent: Agent, stage: Stage): Promise<void> {
  await stage.eventually(async () => {
    const jobKey = await agent.paidJob();
    return (await agent.post(`${jobAt(jobKey)}/cancel`)).status === 200;
  });
}

const canceling: Act = {
  request: async (agent) => keyed(`${jobAt(await agent.authorizedJob())}/cancel`, {}),
  async ended(agent, stage, { body }) {
    await inState(stage, agent, body.job_key, { state: 'canceled' });
    expect((await agent.get('/api/agent/v1/me')).body.spend.today_microcents).toBe(0);
  },
};

/** Paid, with no worker running: the payment becomes credit. */
const cancelingPaid: Act = {
  request: async (agent) => keyed(`${jobAt(await agent.paidJob())}/cancel`, {}),
  async ended(agent, stage, { body }) {
    await inState(stage, agent, body.job_key, { state: 'canceled', payment_state: 'credited' });
    expect(await count(stage, "ledger_transfers where event = 'credited' and job_key = $1", body.job_key)).toBe(1);
  },
};

/** A wallet is its own customer and deletes its submitted content. Only digests remain. */
const deleting: Act = {
  async request(agent) {
    const jobKey = await agent.authorizedJob();
    await agent.post(`${jobAt(jobKey)}/cancel`);
    return { ...keyed(`${jobAt(jobKey)}/content`, {}), method: 'DELETE' };
  },
  async ended(_agent, stage, { body }) {
    const quote = 'quotes join jobs using (quote_key) where job_key = $1 and input_digest is not null';
    expect(await count(stage, `${quote} and input is null and input_deleted_at is not null`, body.job_key)).toBe(1);
  },
};

const accepting: Act = {
  request: async (agent, stage) => keyed(`${jobAt(await deliveredJob(agent, stage))}/review`, { decision: 'accept' }),
  async ended(agent, stage, { body }) {
    await inState(stage, agent, body.job_key, { state: 'accepted', charge_state: 'final' });
    expect(await count(stage, "ledger_transfers where event = 'accepted' and job_key = $1", body.job_key)).toBe(1);
  },
};

const objection = { decision: 'dispute', reason: 'citation_invalid' };
const disputing: Act = {
  request: async (agent, stage) => keyed(`${jobAt(await deliveredJob(agent, stage))}/review`, objection),
  async ended(agent, stage, { body }) {
    await inState(stage, agent, body.job_key, { state: 'redelivered' });
    expect(await count(stage, 'reports where job_key = $1', body.job_key)).toBe(2);
  },
};

const disputingAgain: Act = {
  async request(agent, stage) {
    const jobKey = await deliveredJob(agent, stage);
    await agent.post(`${jobAt(jobKey)}/review`, objection);
    await inState(stage, agent, jobKey, { state: 'redelivered' });
    const { body } = await agent.job(jobKey);
    return keyed(`${jobAt(jobKey)}/review`, { ...objection, report_digest: body.report_digest });
  },
  async ended(agent, stage, { body }) {
    await inState(stage, agent, body.job_key, { state: 'waived', payment_state: 'refunded' });
    expect(await count(stage, 'refunds where job_key = $1', body.job_key)).toBe(1);
  },
};

/** Named as in the list of kill points that the service must survive. */
export const appPoints: AppPoint[] = [
  { point: 'K01 the key of a quote is claimed', act: asking, stopAt: { before: /insert into quotes/ }, inFull: true },
  { point: 'K02 the quote is inserted', act: asking, stopAt: { beforeCommitOf: /insert into quotes/ } },
  { point: 'K03 the quote is committed, unsent', act: asking, stopAt: { after: /insert into quotes/ } },
  { point: 'K04 the quote is locked', act: authorizing, stopAt: { before: /insert into grant_usage/ }, inFull: true },
  { point: 'K05 the reservation is made', act: authorizing, stopAt: { beforeCommitOf: /insert into grant_usage/ } },
  { point: 'K06 the job is committed, unsent', act: authorizing, stopAt: { after: /insert into jobs/ } },
  { point: 'K17 the payment is verified', act: paying, stopAt: { before: /insert into x402_transfers/ }, inFull: true },
  { point: 'K18 the intent is committed', act: paying, stopAt: { after: /insert into payments/ } },
  { point: 'K20 the money has moved', act: paying, stopAt: { before: /update payments set state = .*decided_at/s } },
  { point: 'K21 the collection is written', act: paying, stopAt: { beforeCommitOf: /insert into ledger_transfers/ } },
  { point: 'K22 the collection is committed, unsent', act: paying, stopAt: { after: /insert into ledger_transfers/ } },
  { point: 'credit is spent', act: payingFromCredit, stopAt: { beforeCommitOf: /insert into payments/ } },
  { point: 'credit is spent and committed, unsent', act: payingFromCredit, stopAt: { after: /insert into payments/ } },
  { point: 'the job is canceled', act: canceling, stopAt: { beforeCommitOf: /update grant_usage/ } },
  {
    point: 'the cancellation is committed, unsent',
    act: canceling,
    stopAt: { after: /update grant_usage/ },
    inFull: true,
  },
  { point: 'K30 the acceptance is written', act: accepting, stopAt: { beforeCommitOf: /insert into reviews/ } },
  {
    point: 'K30 the acceptance is committed, unsent',
    act: accepting,
    stopAt: { after: /insert into reviews/ },
    inFull: true,
  },
  { point: 'K31 the dispute is written', act: disputing, stopAt: { beforeCommitOf: /insert into reviews/ } },
  {
    point: 'K31 the dispute is committed, unsent',
    act: disputing,
    stopAt: { after: /insert into reviews/ },
    inFull: true,
  },
  { point: 'K33 the refund is owed', act: disputingAgain, stopAt: { beforeCommitOf: /insert into refunds/ } },
  { point: 'K33 the refund is committed, unsent', act: disputingAgain, stopAt: { after: /insert into refunds/ } },
  { point: 'K42 content is deleted', act: deleting, stopAt: { beforeCommitOf: /update quotes set input = null/ } },
  {
    point: 'K42 the deletion is committed, unsent',
    act: deleting,
    stopAt: { after: /update quotes set input = null/ },
    inFull: true,
  },
];

/** Points of work that no worker may take meanwhile. */
export const appPointsWithoutWorker: AppPoint[] = [
  { point: 'K36 credit is given', act: cancelingPaid, stopAt: { beforeCommitOf: /insert into ledger_transfers/ } },
  { point: 'K36 credit is committed, unsent', act: cancelingPaid, stopAt: { after: /insert into ledger_transfers/ } },
];

/**
 * An app may be answered for by a worker that sees the money on the chain, or may ask to come again, and so never reach
 * its kill point.
 */
const triesMax = 8;

/** Kills an app at the point, repeats the request on a surviving one until it is answered, and checks the result. */
export async function killApp(stage: Stage, { point, act, stopAt }: AppPoint): Promise<void> {
  const answers: string[] = [];
  while (answers.length < triesMax) {
    const [agent, victim] = await Promise.all([act.arrive?.(stage) ?? stage.arrive(), stage.app()]);
    const request = await act.request(agent, stage);
    const stopped = victim.stopAt(stopAt).then(() => null);
    const sent = stage.send(agent, request, victim);
    const ahead = await Promise.race([stopped, sent]);
    await victim.process.kill();
    if (ahead) isGiven(ahead, act);
    else expect(await sent.catch(() => null)).toBeNull();
    await stage.goesOn(point, async () => {
      await act.ended(agent, stage, await answered(stage, agent, request, act), request);
    });
    if (!ahead) return;
    answers.push(`${ahead.status} ${ahead.body?.code ?? ''}`.trim());
  }
  throw new Error(`Apps answered (${answers.join(', ')}) and none came to: ${point}`);
}

/** The same while the facilitator has the payment: before it moves the money, or after, with its answer held back. */
export async function killWhileSettling(stage: Stage, mode: string): Promise<void> {
  const { sandboxUrl } = stage.stack;
  const [agent, victim] = await Promise.all([stage.arrive(), stage.app()]);
  const request = await paying.request(agent, stage);
  await facilitatorFault(sandboxUrl, { mode });
  const lost = stage.send(agent, request, victim).catch(() => null);
  await stage.eventually(async () => (await controlClient(sandboxUrl).facilitatorState()).held === 1);
  await victim.process.kill();
  expect(await lost).toBeNull();
  await clearFaults(sandboxUrl);
  await stage.goesOn(`K19 ${mode}`, async () => {
    await paying.ended(agent, stage, await answered(stage, agent, request, paying), request);
  });
}

/** The status of a repeat whose first answer held a secret. */
const toldOnce = 410;

/** Still running, or, on a busy machine, briefly without what it needs. */
const askedAgain = [409, 503];

/** Whether this is the final answer. Any other must allow a retry. */
function isGiven({ status, headers }: Answer, { repeated }: Act): boolean {
  if (status < 300 || status === toldOnce || status === repeated) return true;
  expect(askedAgain).toContain(status);
  expect(headers.has('retry-after')).toBe(true);
  return false;
}

/** Repeats a request until it is answered. */
const answered = (stage: Stage, agent: Agent, request: Request, act: Act): Promise<Answer> =>
  stage.eventually(async () => {
    const repeated = await stage.send(agent, request);
    return isGiven(repeated, act) && repeated;
  });

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../commands/migrate.ts';
import { createDatabase, type Postgres, startThrowawayPostgres } from '../commands/postgres.ts';
import { controlClient } from '../sandbox/control-client.ts';
import { sealAudit, verifySeals } from '../server/console/seals.ts';
import { transact } from '../server/kernel/transaction.ts';
import { closeBooks } from '../server/ledger/closing.ts';
import { numberReceipts } from '../server/purchases/receipt/receipt-numbers.ts';
import { waiveCharge } from '../server/purchases/review/waive.ts';
import { sweep } from '../server/purchases/rounds/sweep.ts';
import { Agent } from './support/agent.ts';
import { restoreDump } from './support/backup.ts';
import {
  buyingByCard,
  click,
  dashboardOf,
  fillIn,
  heard,
  listen,
  paidOnPage,
  payByCard,
  stripeOf,
} from './support/card.ts';
import { brokenInvariants } from './support/invariants.ts';
import { type Service, startService, withCard } from './support/service.ts';

let cluster: Postgres | undefined;
let pool: pg.Pool | undefined;
// Hooks run backwards: the services end first.
afterAll(async () => {
  await pool?.end();
  await cluster?.stop();
});
const service = await startService();
// Stripe knows more than its books.
const byCard = await startService(withCard, { checked: false });
// Its clock is Stripe's, which the tests of the other move on.
const alsoByCard = await startService(withCard);
const control = controlClient(service.sandbox.controlUrl);
const chain = 84532;

interface Buyer {
  agent: Agent;
  jobKey: string;
  signature: string;
}

const money = (DATABASE_URL = service.database.url) => byOperator('money', [], { DATABASE_URL });

async function byOperator(command: string, words: string[], changes = {}): Promise<string> {
  const file = path.resolve(import.meta.dirname, `../commands/${command}.ts`);
  const env = { ...process.env, ...service.environment, ...changes };
  return (await promisify(execFile)(process.execPath, [file, ...words], { env })).stdout;
}

async function workerRounds(at: Service = service): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    at.advanceClock(31);
    await at.sweep();
  }
  at.advanceClock(-124);
}

/** The buyer gets its report, disputes it, gets the corrected one and disputes that: the money is to be refunded. */
async function disputeTwice({ agent, jobKey }: Buyer): Promise<void> {
  for (let report = 1; report <= 2; report += 1) {
    await service.execute(jobKey);
    const { report_digest } = (await agent.job(jobKey)).body;
    const body = { decision: 'dispute', reason: 'other', report_digest };
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, body)).status).toBe(200);
  }
}

const moved = async ({ agent }: Buyer) => ({
  in: (await control.transfers(chain, { from: agent.wallet.address, to: service.sandbox.payTo })).length,
  out: (await control.transfers(chain, { from: service.sandbox.payTo, to: agent.wallet.address })).length,
});

describe('a backup that is restored after 20 purchases', { timeout: 300_000 }, () => {
  it('collects nothing twice and gives nothing back twice, whoever repeats and disputes, and explains every unit', async () => {
    const buyers: Buyer[] = [];
    for (let count = 0; count < 20; count += 1) {
      const agent = await Agent.arrive(service);
      const jobKey = await agent.authorizedJob();
      buyers.push({ agent, jobKey, signature: await agent.signPayment(jobKey) });
    }
    // The backup has these payments, but not their outcome.
    const early = buyers.slice(0, 5);
    for (const { agent, jobKey, signature } of early) await agent.pay(jobKey, { signature });
    await service.sweep();
    const restore = await service.backup();

    for (const { agent, jobKey, signature } of buyers.slice(5)) await agent.pay(jobKey, { signature });
    const disputed = buyers.filter((_, index) => index % 2 === 0);
    for (const buyer of disputed) await disputeTwice(buyer);
    await workerRounds();
    for (const buyer of disputed) expect(await moved(buyer)).toEqual({ in: 1, out: 1 });

    await restore();
    await workerRounds();
    for (const { agent, jobKey, signature } of buyers) await agent.pay(jobKey, { signature });
    await workerRounds();
    for (const buyer of buyers) {
      const { state } = (await buyer.agent.job(buyer.jobKey)).body;
      // Money returned before the restore is not collected again, and a job that held it goes no further.
      const isPaid = !disputed.includes(buyer);
      expect(state).toBe(isPaid ? 'queued' : early.includes(buyer) ? 'failed' : 'awaiting_payment');
      if (isPaid) await disputeTwice(buyer);
    }
    await workerRounds();
    for (const buyer of buyers) expect(await moved(buyer)).toEqual({ in: 1, out: 1 });

    const told = await money();
    expect(told.match(/they agree/g)).toHaveLength(2);
    expect(told).toContain('eip155:84532: 0.00 USD on the chain, 0.00 USD in the books');
    expect(told).toContain('match no payment: 0');
    expect(told).toContain('no refund explains: 0');
    expect(told).toContain('not carried out: 0');
  });
});

describe('a payment that went back after the backup that knows it as collected', { timeout: 120_000 }, () => {
  it.each([
    ['queued', 'failed'],
    ['delivered', 'waived'],
    ['accepted', 'waived'],
    ['rechecking', 'waived'],
  ])('is not kept by a job that is %s again: it is %s, and refunded once', async (before, after) => {
    const agent = await Agent.arrive(service);
    const buyer = { agent, jobKey: await agent.paidJob(), signature: '' };
    const decide = async (decision: object) => {
      const { report_digest } = (await agent.job(buyer.jobKey)).body;
      await agent.post(`/api/agent/v1/jobs/${buyer.jobKey}/review`, { ...decision, report_digest });
    };
    if (before !== 'queued') await service.execute(buyer.jobKey);
    if (before === 'accepted') await decide({ decision: 'accept' });
    if (before === 'rechecking') await decide({ decision: 'dispute', reason: 'other' });
    expect((await agent.job(buyer.jobKey)).body.state).toBe(before);
    await service.sweep();
    const restore = await service.backup();
    const { jobKey } = buyer;
    const waiver = { transition: 'refund', jobKey, actor: 'operator', now: service.runtime.clock() } as const;
    if (before === 'accepted') {
      await transact(service.runtime.db, (tx) =>
        waiveCharge(tx, service.runtime, waiver, { review_state: 'not_open' }),
      );
    }
    for (let step = 0; step < 4; step += 1) {
      await service.execute(buyer.jobKey);
      await decide({ decision: 'dispute', reason: 'other' });
    }
    await workerRounds();
    expect(await moved(buyer)).toEqual({ in: 1, out: 1 });
    await restore();
    await workerRounds();
    expect((await agent.job(buyer.jobKey)).body).toMatchObject({ state: after, payment_state: 'refunded' });
    expect(await moved(buyer)).toEqual({ in: 1, out: 1 });
    const told = await money();
    expect(told.match(/they agree/g)).toHaveLength(2);
    expect(told).toContain('no refund explains: 0');
  });
});

describe('credit for a payment that went back in the lost time', { timeout: 120_000 }, () => {
  it.each([false, true])('is taken again, and what was spent of it is our loss: %s', async (isSpent) => {
    const agent = await Agent.arrive(service);
    const buyer = { agent, jobKey: await agent.paidJob(), signature: '' };
    await service.sweep();
    const restore = await service.backup();
    await disputeTwice(buyer);
    await workerRounds();
    await restore();
    // Before the chain was read.
    const { body } = await agent.post(`/api/agent/v1/jobs/${buyer.jobKey}/cancel`);
    expect(body).toMatchObject({ state: 'canceled', payment_state: 'credited' });
    const again = await agent.authorizedJob();
    const credit = { rail: 'x402', method: 'wallet_credit', idempotency_key: again };
    const spend = async () => (await agent.post(`/api/agent/v1/jobs/${again}/payments`, credit)).status;
    if (isSpent) expect(await spend()).toBe(200);
    await workerRounds();
    expect((await agent.job(buyer.jobKey)).body).toMatchObject({ state: 'canceled', payment_state: 'refunded' });
    expect(await moved(buyer)).toEqual({ in: 1, out: 1 });
    expect(await money()).toContain('no refund explains: 0');
    if (!isSpent) expect(await spend()).not.toBe(200);
    const { rows } = await service.database.pool.query(
      "select debit_account from ledger_transfers where job_key = $1 and event = 'credit_taken'",
      [buyer.jobKey],
    );
    const from = isSpent ? 'expense:reversals' : 'liability:wallet_credit';
    expect(rows).toEqual([{ debit_account: from }]);
  });
});

describe('the number of a receipt after a restore', { timeout: 120_000 }, () => {
  const numbersBy = async ({ agent }: { agent: Agent }) => {
    const { body } = await agent.get('/api/agent/v1/bookkeeping?view=figures');
    return body.receipts.map(({ number }: { number: string }) => number).toReversed();
  };
  const numbering = (...words: string[]) => byOperator('receipt-numbers', words);

  it('is none that a customer may hold from the lost time, and the books say why some are missing', async () => {
    const agent = await Agent.arrive(service);
    await agent.paidJob();
    await numberReceipts(service.runtime);
    const [kept] = await numbersBy({ agent });
    const restore = await service.backup();
    await agent.paidJob();
    await agent.paidJob();
    await numberReceipts(service.runtime);
    const lost = (await numbersBy({ agent })).slice(1);
    expect(await numbering()).toBe('No number is left out.\n');

    await restore();
    const year = kept.slice(0, 4);
    const from = Number(kept.slice(5)) + 1;
    const text = (number: number) => `${year}-${String(number).padStart(6, '0')}`;
    const gap = `${text(from)} to ${text(from + 99)}`;
    expect(await numbering('skip', '100', 'restored to', 'half past two')).toBe(`${gap} are left out.\n`);
    expect(await numbering()).toMatch(new RegExp(`^${gap} left out 20\\S+Z: restored to half past two\\n$`));
    await agent.paidJob();
    await numberReceipts(service.runtime);
    const [before, after] = await numbersBy({ agent });
    expect([before, after]).toEqual([kept, text(from + 100)]);
    expect(lost).not.toContain(after);
    const { rows } = await service.database.pool.query(
      "select action, reason, role from operator_acts where subject = 'receipt numbers'",
    );
    expect(rows).toEqual([
      { action: 'skip_receipt_numbers', reason: `${gap}: restored to half past two`, role: 'command' },
    ]);
    await expect(
      service.database.pool.query('update receipt_number_gaps set last_number = last_number - 50'),
    ).rejects.toThrow('only grows');
    await workerRounds();
  });
});

describe('a dump that is restored into a cluster that counts its transactions from the start', {
  timeout: 120_000,
}, () => {
  /** The service on the restored dump, with its keys and chains. */
  async function restored(): Promise<{ at: Service; pool: pg.Pool; url: string }> {
    cluster = await startThrowawayPostgres();
    const url = await createDatabase(cluster.url, 'restored');
    await migrate(url);
    pool = new pg.Pool({ connectionString: url });
    // A pool has ended before its connections are closed; the cluster may stop in between. An idle connection tells the
    // pool, any other its client.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    await restoreDump(service.database.pool, pool);
    const { PORT: _, BASE_URL: __, ...kept } = service.environment;
    return { at: await startService(async () => ({ ...kept, DATABASE_URL: url }), { checked: false }), pool, url };
  }

  it('goes on where it was: books, seals and events count what comes behind what was there', async () => {
    const agent = await Agent.arrive(service);
    await agent.paidJob();
    await workerRounds();
    await service.database.pool.query(
      'do $$ begin for i in 1..9999 loop perform pg_current_xact_id(); commit; end loop; end $$',
    );
    await agent.quote();
    await closeBooks(service.runtime);
    await sealAudit(service.runtime);
    const eventsOf = async (of: Agent, after?: string) =>
      (await of.get(`/api/agent/v1/events?limit=100${after ? `&after=${after}` : ''}`)).body.events as {
        event_key: string;
        type: string;
      }[];
    const before = await eventsOf(agent);

    const { at, pool, url } = await restored();
    const later = agent.at(at.baseUrl);
    const jobKey = await later.paidJob();
    expect((await later.job(jobKey)).body.state).toBe('queued');
    await workerRounds(at);
    const after = await eventsOf(later);
    expect(after).toEqual(expect.arrayContaining(before));
    expect((await eventsOf(later, before.at(-1)?.event_key)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['quote', 'authorize', 'collect']),
    );
    expect((await money(url)).match(/they agree/g)).toHaveLength(2);
    at.advanceClock(3_700);
    await closeBooks(at.runtime);
    await sealAudit(at.runtime);
    expect((await money(url)).match(/they agree/g)).toHaveLength(2);
    const { rows } = await pool.query('select rows from audit_seals order by number');
    expect(rows).toEqual([{ rows: expect.any(Number) }, { rows: after.length - before.length }]);
    expect((await verifySeals(at.runtime.db)).broken).toEqual([]);
    expect(await brokenInvariants(pool)).toEqual([]);
    // The original service is still running and sees payments to both.
    await workerRounds();
  });
});

describe('a backup that is restored after purchases by card', { timeout: 120_000 }, () => {
  const jobAt = async (agent: Agent, jobKey: string) => (await agent.job(jobKey)).body;
  /** Longer each time than between two comparisons. */
  const compared = async () => {
    byCard.advanceClock(400);
    await byCard.sweep();
    await byCard.sweep();
  };

  it('does no work for what has gone back, lists what it does not know, and explains every cent', async () => {
    await listen(byCard);
    const { agent, member } = await buyingByCard(byCard);
    const { jobKey: returned } = await paidOnPage(byCard, agent, { member });
    const { jobKey: stays } = await paidOnPage(byCard, agent);
    const waiting = await agent.authorizedJob();
    const link = (await payByCard(agent, waiting)).body.payment_key;
    const page = (await click(agent, link)).body.url;
    const restore = await byCard.backup();

    const cancel = (jobKey: string) => agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    expect((await cancel(returned)).status).toBe(200);
    await fillIn(page);
    await heard(byCard);
    expect((await cancel(waiting)).body.payment_state).toBe('refund_pending');
    const lost = await agent.authorizedJob();
    expect((await payByCard(agent, lost, 'card_saved')).status).toBe(200);
    await byCard.sweep();
    const { charges } = await stripeOf(byCard).books();
    expect(charges.map(({ amount_refunded: back }) => back).toSorted()).toEqual([0, 0, 500, 500]);

    await restore();
    await workerRounds(byCard);
    for (const jobKey of [returned, waiting, stays]) await byCard.execute(jobKey);
    expect(await jobAt(agent, returned)).toMatchObject({ state: 'failed', payment_state: 'refunded' });
    expect(await jobAt(agent, waiting)).toMatchObject({ state: 'awaiting_payment', payment_state: 'none' });
    expect(await jobAt(agent, stays)).toMatchObject({ state: 'delivered', payment_state: 'collected' });
    expect((await agent.job(lost)).status).toBe(404);
    await compared();
    expect(await money(byCard.database.url)).toContain('of a purchase that is not known here');

    await dashboardOf(byCard).refunds.create({ charge: String(charges.at(-1)?.id) });
    await compared();
    await compared();
    expect(await money(byCard.database.url)).not.toContain('of a purchase that is not known here');
    const { rows } = await byCard.database.pool.query(
      'select kind, ours, theirs from reconciliation_differences where gone_at is null',
    );
    expect(rows).toEqual([]);
    expect(await brokenInvariants(byCard.database.pool)).toEqual([]);
  });
});

describe('a check that the backup knows as under way, restored 40 minutes later', { timeout: 120_000 }, () => {
  /** A worker is there, after a test that was ahead of this one. */
  async function works(at: Service): Promise<void> {
    await at.database.pool.query('delete from worker_presence');
    await sweep(at.runtime);
  }

  /** The first round of the worker that starts on the backup, 40 minutes after it was taken. */
  async function startedLater(at: Service, restore: () => Promise<void>): Promise<void> {
    at.advanceClock(2_400);
    onTestFinished(() => at.advanceClock(-2_400));
    await restore();
    await sweep(at.runtime);
  }

  it.each([
    ['x402', service],
    ['card', alsoByCard],
  ])('and delivered in the lost time is delivered again, and not given back: %s', async (rail, at) => {
    if (rail === 'card') await listen(at);
    const agent = rail === 'card' ? (await buyingByCard(at)).agent : await Agent.arrive(at);
    const jobKey = rail === 'card' ? (await paidOnPage(at, agent)).jobKey : await agent.paidJob();
    await works(at);
    const restore = await at.backup();
    await at.execute(jobKey);
    expect((await agent.job(jobKey)).body.state).toBe('delivered');
    await startedLater(at, restore);
    await workerRounds(at);
    const { body } = await agent.job(jobKey);
    expect(body).toMatchObject({ state: 'queued', payment_state: 'collected' });
    const left = Date.parse(body.deadlines.deliver_by) - at.runtime.clock().getTime();
    expect(left / 60_000).toBeGreaterThan(14);
    expect(left / 60_000).toBeLessThanOrEqual(15);
    await at.execute(jobKey);
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'delivered', payment_state: 'collected' });
    if (rail === 'x402') expect(await moved({ agent, jobKey, signature: '' })).toEqual({ in: 1, out: 0 });
    else expect((await stripeOf(at).books()).charges.at(-1)?.amount_refunded).toBe(0);
  });

  it('and given back in the lost time is given up when the chain was read, with no credit besides', async () => {
    const agent = await Agent.arrive(service);
    const buyer = { agent, jobKey: await agent.paidJob(), signature: '' };
    await works(service);
    const restore = await service.backup();
    await disputeTwice(buyer);
    await workerRounds();
    expect(await moved(buyer)).toEqual({ in: 1, out: 1 });
    await startedLater(service, restore);
    await workerRounds();
    expect((await agent.job(buyer.jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'refunded' });
    expect(await moved(buyer)).toEqual({ in: 1, out: 1 });
  });

  const query = (text: string) => service.database.pool.query(text);
  it.each([
    ['knows of no worker yet', () => query('delete from worker_presence')],
    [
      'had a clock that was ahead',
      async () => {
        await query("update worker_presence set seen_at = seen_at + interval '1 year'");
        await sweep(service.runtime);
      },
    ],
  ])('gets its time where the database %s', async (_, before) => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await works(service);
    await before();
    await startedLater(service, await service.backup());
    expect((await agent.job(jobKey)).body.state).toBe('queued');
  });

  it('fails when it is not delivered in the time that it gets', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await works(service);
    await startedLater(service, await service.backup());
    for (let minute = 0; minute < 15; minute += 1) {
      expect((await agent.job(jobKey)).body.state).toBe('queued');
      service.advanceClock(61);
      // A worker is there all the time.
      await service.database.pool.query('update worker_presence set seen_at = $1', [service.runtime.clock()]);
      await sweep(service.runtime);
    }
    expect((await agent.job(jobKey)).body).toMatchObject({ state: 'failed', payment_state: 'credited' });
    service.advanceClock(-15 * 61);
  });
});

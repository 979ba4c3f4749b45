import { afterEach, describe, expect, it } from 'vitest';
import { sql } from '../server/kernel/sql.ts';
import { returnArrival } from '../server/payments/x402/by-hand.ts';
import type { TransferName } from '../server/payments/x402/transfers.ts';
import { price } from '../server/service/terms.ts';
import { verbs } from '../server/verbs.ts';
import { Agent, type Answer, clearFaults, facilitatorFault } from './support/agent.ts';
import { chainHand } from './support/chain-hand.ts';
import { breakStatements, type Rewrite } from './support/rewritten-statements.ts';
import { startService } from './support/service.ts';

/** Builds with one fault each, used as a buyer would: every fault must be detected. */
const service = await startService({ REMEDIES_MAX: '5' }, { checked: false });
const arrive = () => Agent.arrive(service);
const { pool } = service.runtime.db;

afterEach(() => clearFaults(service.sandbox.controlUrl));

/** Violations that `work` added: other builds have left their faults here, too. */
async function brokenBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(await service.broken());
  await work();
  return (await service.broken()).filter((finding) => !before.has(finding));
}

interface FaultyBuild extends Rewrite {
  fault: string;
  /** What a buyer and a worker do with it. */
  use: (agent: Agent) => Promise<unknown>;
  /** The database's error. */
  refused?: RegExp;
  /** The checker's finding. */
  named?: RegExp;
}

const limitCheck = /where exists \(select from g where/;
const naiveLimitCheck: Rewrite = {
  where: limitCheck,
  to: (text) => text.replace(/where exists \(select from g where[\s\S]*?(?=returning)/, ''),
};
const review = (agent: Agent, jobKey: string, decision: object) =>
  agent.post(`/api/agent/v1/jobs/${jobKey}/review`, decision);

async function delivered(agent: Agent): Promise<string> {
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  return jobKey;
}

async function authorizeMany(agent: Agent, count: number): Promise<Answer[]> {
  const quotes = await Promise.all(Array.from({ length: count }, () => agent.quote()));
  return Promise.all(quotes.map(({ body }) => agent.authorize(body.quote_key)));
}

async function unknownPayment(agent: Agent): Promise<string> {
  await facilitatorFault(service.sandbox.controlUrl, { mode: 'drop_before_settle', times: 'always' });
  return agent.paidJob();
}

/** What `work` sends has read the job before any of it may write to it. */
async function meetingAt(jobKey: string, work: () => Promise<unknown>[]): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from jobs where job_key = $1 for update', [jobKey]);
    const sent = work();
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect
      .poll(async () => (await pool.query(waiting)).rowCount, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(sent.length);
    await holder.query('commit');
    await Promise.all(sent);
  } finally {
    holder.release();
  }
}

/** A posting of its own, not the chain log that is recorded with one. */
const posting = /^\s*insert into ledger_transfers/;

const hand = await chainHand(service.sandbox.controlUrl, 84532);
const payTo = service.sandbox.payTo as `0x${string}`;

/** Unexplained incoming money, as noticed by the service. */
async function unmatched(): Promise<TransferName> {
  const transaction = await hand.mint(payTo, 5_000_000n);
  await service.sweep();
  return { network: 'eip155:84532', transaction, position: 0 };
}

const faultyBuilds: FaultyBuild[] = [
  {
    fault: 'takes whatever arrived for a payment',
    where: "set use = 'payment'",
    to: (text) =>
      text.replace(
        /where network = \$2[\s\S]*/,
        "where use = 'unmatched' and concat($2::text, $3::text, $4::int) is not null",
      ),
    use: async (agent) => {
      await unmatched();
      await agent.paidJob();
    },
    refused: /does not pay pay_/,
  },
  {
    fault: 'collects without a transfer that pays',
    where: /set use = 'payment'|set state = 'collected'/,
    to: (text) =>
      text.includes("set use = 'payment'")
        ? { withoutValues: 'select' }
        : text.replace(' and exists (', ' or exists ('),
    use: (agent) => agent.paidJob(),
    refused: /no transfer pays pay_/,
  },
  {
    fault: 'gives an arrival back before it says that it is used for that',
    where: 'update chain_transfers set use = $1',
    to: () => ({ withoutValues: 'select 0 as position' }),
    use: async () => returnArrival(service.runtime.db, await unmatched(), service.runtime.clock()),
    refused: /gives back more than arrived/,
  },
  {
    fault: 'looks past what leaves',
    where: 'insert into chain_transfers',
    to: (text, values) => (values.includes('outgoing') ? { withoutValues: 'select' } : text),
    use: async (agent) => {
      const jobKey = await delivered(agent);
      for (let review_ = 1; review_ <= 2; review_ += 1) {
        const { report_digest } = (await agent.job(jobKey)).body;
        await review(agent, jobKey, { decision: 'dispute', reason: 'other', report_digest });
        if (review_ === 1) await service.execute(jobKey);
      }
      await service.sweep();
      await service.sweep();
    },
    named: /^I6 the chain is what the books say at the block that was searched/,
  },
  {
    fault: 'checks the limit before it reserves, and not while',
    ...naiveLimitCheck,
    use: (agent) => authorizeMany(agent, 20),
    refused: /passes a limit/,
  },
  {
    fault: 'forgets the reservation',
    where: limitCheck,
    to: () => ({ withoutValues: 'select 1' }),
    use: (agent) => agent.authorizedJob(),
    named: /^I13 a job holds room while it may take cash/,
  },
  {
    fault: 'does not give the reservation back',
    where: 'update grant_usage u set used_microcents',
    to: null,
    use: async (agent) => agent.post(`/api/agent/v1/jobs/${await agent.authorizedJob()}/cancel`),
    named: /^I13 a job holds room while it may take cash/,
  },
  {
    fault: 'gives room back twice',
    where: 'update grant_usage u set used_microcents',
    to: (text) => text.replace('- freed.amount', '- 2 * freed.amount'),
    use: async (agent) => {
      await agent.authorizedJob();
      await agent.post(`/api/agent/v1/jobs/${await agent.authorizedJob()}/cancel`);
    },
    named: /^I13 a grant counts what its jobs hold of it/,
  },
  {
    fault: 'gives room back for money that became credit',
    where: posting,
    to: (text, [, event]) =>
      event === 'credited'
        ? `with posted as (${text}) update jobs set reserved_microcents = 0 where job_key = $3`
        : text,
    use: async (agent) => agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`),
    refused: /keeps its room while its money is not back/,
  },
  {
    fault: 'forgets that credit alone may pay for a job without room',
    where: 'update jobs set credit_only = true',
    to: null,
    use: async (agent) => {
      await agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`);
      await service.database.pool.query('update grants set daily_limit_microcents = $1 where principal_key = $2', [
        price,
        agent.wallet.address.toLowerCase(),
      ]);
      await agent.authorizedJob();
    },
    named: /^I13 a job holds room while it may take cash/,
  },
  {
    fault: 'takes remedies without end',
    where: 'insert into purchase_blocks',
    to: null,
    use: async (agent) => {
      for (let count = 0; count < 6; count += 1) {
        const jobKey = await delivered(agent);
        await review(agent, jobKey, { decision: 'dispute', reason: 'other' });
        await service.execute(jobKey);
        await review(agent, jobKey, { decision: 'dispute', reason: 'other' });
      }
    },
    named: /^I22 nobody takes remedies without end/,
  },
  {
    fault: 'posts nothing for a collection',
    where: posting,
    to: null,
    use: (agent) => agent.paidJob(),
    named: /^I6 what is collected is in the books/,
  },
  {
    fault: 'credits twice',
    where: posting,
    to: (text, [, event]) =>
      event === 'credited' ? `with once as (${text}) ${text.replace('$1', "$1 || ':again'")}` : text,
    use: async (agent) => agent.post(`/api/agent/v1/jobs/${await agent.paidJob()}/cancel`),
    refused: /gives more of liability:held/,
  },
  {
    fault: 'starts the work without deciding the payment',
    where: /update payments set state = .* decided_at|\$8::text is null or exists/s,
    to: (text) =>
      text.includes('update payments')
        ? { withoutValues: "select 'decided' as payment_key" }
        : text.replace('$8::text is null or exists', '$8::text is not null or exists'),
    use: (agent) => agent.paidJob(),
    refused: /was not paid for/,
  },
  {
    fault: 'does not see that another payment is open',
    where: "and payment_state = 'none'",
    to: (text) => text.replace("and payment_state = 'none'", ''),
    use: async (agent) => {
      const jobKey = await agent.authorizedJob();
      const signatures = await Promise.all(Array.from({ length: 2 }, () => agent.signPayment(jobKey)));
      await meetingAt(jobKey, () => signatures.map((signature) => agent.pay(jobKey, { signature })));
    },
    refused: /payments_active_key/,
  },
  {
    fault: 'cancels while a payment is open',
    where: /^\s*select to_json\(jobs\)/,
    to: (text) => `select p.*, 'none' as payment_state from (${text}) p`,
    use: async (agent) => agent.post(`/api/agent/v1/jobs/${await unknownPayment(agent)}/cancel`),
    refused: /has an open payment/,
  },
  {
    fault: 'moves a job from wherever it is',
    where: /update jobs set .*state = any/s,
    to: (text) => text.replace('state = any($2::text[])', '$2::text[] is not null'),
    use: async (agent) => agent.post(`/api/agent/v1/jobs/${await delivered(agent)}/cancel`),
    refused: /may not go from delivered to canceled/,
  },
  {
    fault: 'writes no audit',
    where: /insert into audit_rows .*select/s,
    to: (text) => text.replace(/insert into audit_rows \([^)]*\)(?=\s*select)/, ''),
    use: (agent) => agent.authorizedJob(),
    named: /^I18 the state of a job is the last one in its audit/,
  },
  {
    fault: 'issues no receipt',
    where: 'insert into receipts',
    to: null,
    use: (agent) => agent.paidJob(),
    named: /^I2 the receipts of a job are an unbroken chain/,
  },
  {
    fault: 'issues the first receipt over and over',
    where: 'insert into receipts',
    to: (text) => text.replace('$3', '1 + 0 * $3::int'),
    use: (agent) => delivered(agent),
    refused: /does not follow the last receipt/,
  },
  {
    fault: 'keeps no report',
    where: 'insert into reports',
    to: null,
    use: (agent) => delivered(agent),
    named: /^I21 a delivered job has the report that its digest names/,
  },
  {
    fault: 'queues no work',
    where: /insert into pgboss|pgboss\.job/i,
    to: null,
    use: (agent) => agent.paidJob(),
    named: /^I28 queued work has its message/,
  },
  {
    fault: 'earns nothing when the report is accepted',
    where: posting,
    to: (text) => `${text.replace(/values \(([\s\S]*)\)\s*$/, 'select $1')} where $2 <> 'accepted'`,
    use: async (agent) => review(agent, await delivered(agent), { decision: 'accept' }),
    named: /^I5 what is held for a job is zero or its price/,
  },
  {
    fault: 'accepts in nobody’s name',
    where: 'insert into reviews',
    to: null,
    use: async (agent) => review(agent, await delivered(agent), { decision: 'accept' }),
    named: /^I23 whoever accepted has a name/,
  },
  {
    fault: 'keeps the tokens of wallets in clear',
    where: 'insert into credentials',
    to: (text) => text.replace('$3', "'svc_wallet_' || $3"),
    use: (agent) => agent.signIn(),
    refused: /violates check constraint/,
  },
];

describe('a build that', () => {
  it.each(faultyBuilds)('$fault is found out', async ({ use, refused, named, ...rewrite }) => {
    const agent = await arrive();
    const broken = await brokenBy(async () => {
      const build = breakStatements(pool, rewrite);
      await use(agent).catch(() => {});
      build.mend();
      expect(build.struck).toBeGreaterThan(0);
      if (refused) expect(build.refusals).toContainEqual(expect.stringMatching(refused));
    });
    if (refused) expect(broken).toEqual([]);
    if (named) expect(broken).toContainEqual(expect.stringMatching(named));
  });

  it('replies before its effect is committed is found out', async () => {
    const agent = await arrive();
    const { body: quote } = await agent.quote();
    const { authorize } = verbs;
    // The process dies between reply and commit: the transaction is lost, the reply is not.
    verbs.authorize = async (call) => {
      const reply = await authorize(call);
      await call.tx.many(sql`rollback`);
      await call.tx.many(sql`begin`);
      return reply;
    };
    const broken = await brokenBy(() =>
      agent.authorize(quote.quote_key).finally(() => {
        verbs.authorize = authorize;
      }),
    );
    expect(broken).toEqual([
      expect.stringMatching(/^I19 job_\w+ was told to have come to "authorize: awaiting_payment", and has not$/),
    ]);
  });
});

describe('without its guard in the database, a build that', () => {
  it('checks the limit before it reserves lets too much through, and the checker names it', async () => {
    const agent = await arrive();
    const broken = await brokenBy(async () => {
      await service.database.pool.query('alter table grant_usage disable trigger user');
      const build = breakStatements(pool, naiveLimitCheck);
      await authorizeMany(agent, 20);
      build.mend();
      await service.database.pool.query('alter table grant_usage enable trigger user');
    });
    expect(broken).toContainEqual(expect.stringMatching(/^I13 no day and no total passes its limit/));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { buyingByCard } from '../../e2e/support/card.ts';
import { Customer } from '../../e2e/support/customer.ts';
import { linkOfInvited } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { sql } from '../kernel/sql.ts';
import { transact } from '../kernel/transaction.ts';
import { queueDueLetters } from '../mail/due-letters.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService();
const { pool } = service.database;
const ctx = () => operatorContext(service.runtime);
const reason = 'a trial';

let agent: Agent;

beforeAll(async () => {
  agent = await Agent.arrive(service);
  await agent.authorizedJob();
});

const actsOn = async (subject: string) => {
  const { rows } = await pool.query('select action, reason from operator_acts where subject = $1', [subject]);
  return rows;
};

/** How many rows of these tables the service reads meanwhile. Connections report that on request. */
async function rowsReadBy(act: () => Promise<void>): Promise<{ accounts: number; members: number }> {
  const { db } = service.runtime;
  const count = async () => {
    const report = sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`;
    // The shared connections, at most four, take turns from one round of the event loop to the next.
    for (let turn = 0; turn < 4; turn += 1) await db.shared.many(report);
    await Promise.all(Array.from({ length: db.pool.totalCount }, () => transact(db, (tx) => tx.many(report))));
    const { rows } = await pool.query(`
      select relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_user_tables where relname in ('accounts', 'members')`);
    return Object.fromEntries(rows.map(({ relname, read }) => [relname, read]));
  };
  const before = await count();
  await act();
  const after = await count();
  return { accounts: after.accounts - before.accounts, members: after.members - before.members };
}

describe('the list of customers', () => {
  const list = async (input: object) => (await perform('console_accounts', ctx(), input)).body;

  it('walks by page without a gap, and finds one by what it begins with', async () => {
    const { agent: other, customer } = await buyingByCard(service);
    const { account_key } = (await other.get('/api/agent/v1/me')).body;
    await Agent.arrive(service);
    const all = (await list({})).customers;
    expect(all.length).toBeGreaterThan(2);
    const walked = [];
    for (let after: string | null = null; ; ) {
      const page = await list({ limit: 1, after });
      walked.push(...page.customers);
      after = page.next_after;
      if (after === null) break;
    }
    expect(walked).toEqual(all);
    for (const q of [account_key, customer.email, customer.email.slice(0, 12).toUpperCase()]) {
      expect((await list({ q })).customers.map((one) => one.account_key)).toEqual([account_key]);
    }
    expect((await list({ q: agent.wallet.address })).customers).toHaveLength(1);
    expect((await list({ q: '100%' })).customers).toEqual([]);
    expect((await list({ blocked: true })).customers).toEqual([]);
    await expect(list({ after: 'acct_none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('looks up what it begins with, and reads neither all members nor all accounts', async () => {
    const client = await pool.connect();
    await client.query(`
      with many as (select 'acct_many' || n as key, 'many' || n || '@example.com' as email, n from generate_series(1, 5000) n),
        made as (insert into accounts (account_key, created_at) select key, now() - n * interval '1 s' from many)
      insert into members (member_key, account_key, email, role, created_at)
      select 'mem_many' || n, key, email, 'owner', now() from many`);
    // What its foreign keys read counts now, not later.
    await client.query('select pg_stat_force_next_flush()');
    client.release();
    await pool.query('analyze accounts, members');
    const read = await rowsReadBy(async () => {
      expect((await list({ q: 'many4999@' })).customers).toMatchObject([{ account_key: 'acct_many4999' }]);
    });
    expect(Math.max(read.accounts, read.members)).toBeLessThan(100);
    await pool.query("delete from members where member_key like 'mem_many%'");
    await pool.query("delete from accounts where account_key like 'acct_many%'");
  });
});

describe('an agent of a customer', () => {
  it('is paused, resumed and revoked, each with its act, and the page shows what it may spend', async () => {
    const { agent: other } = await buyingByCard(service);
    const { account_key } = (await other.get('/api/agent/v1/me')).body;
    const { rows: known } = await pool.query('select principal_key from principals where account_key = $1', [
      account_key,
    ]);
    const agent_key = known[0].principal_key;
    const stateNow = async () => {
      const { agents } = (await perform('console_customers', ctx(), { account_key })).body;
      return agents.find((one) => one.agent_key === agent_key);
    };
    await other.authorizedJob();
    expect(await stateNow()).toMatchObject({ state: 'active', used_today_microcents: 500_000_000 });
    expect((await stateNow())?.credentials).toHaveLength(1);
    await perform('pause_customer_agent', ctx(), { agent_key, paused: 'yes', reason });
    expect((await stateNow())?.state).toBe('paused');
    expect((await other.post('/api/agent/v1/quotes', {})).status).toBeGreaterThanOrEqual(400);
    await perform('pause_customer_agent', ctx(), { agent_key, paused: 'no', reason });
    expect((await stateNow())?.state).toBe('active');
    await perform('revoke_customer_agent', ctx(), { agent_key, reason });
    expect((await stateNow())?.state).toBe('revoked');
    expect((await other.get('/api/agent/v1/me')).status).toBe(401);
    await expect(perform('pause_customer_agent', ctx(), { agent_key, paused: 'yes', reason })).rejects.toMatchObject({
      code: 'action_not_allowed',
    });
    expect(await actsOn(agent_key)).toEqual([
      { action: 'pause_customer_agent', reason: `paused: ${reason}` },
      { action: 'pause_customer_agent', reason: `resumed: ${reason}` },
      { action: 'revoke_customer_agent', reason },
    ]);
    const { rows } = await pool.query(
      'select actor, action from account_events where principal_key = $1 and actor = $2 order by sequence',
      [agent_key, 'operator'],
    );
    expect(rows.map(({ action }) => action)).toEqual(['agent_paused', 'agent_resumed', 'agent_revoked']);
  });

  it('that is a wallet is paused, and not revoked; one that is not there is not found', async () => {
    const agent_key = agent.wallet.address.toLowerCase();
    await expect(perform('revoke_customer_agent', ctx(), { agent_key, reason })).rejects.toMatchObject({
      code: 'action_not_allowed',
    });
    for (const name of ['pause_customer_agent', 'revoke_customer_agent'] as const) {
      const input = { agent_key: 'agent_none', reason, ...(name === 'pause_customer_agent' ? { paused: 'yes' } : {}) };
      await expect(perform(name, ctx(), input)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await actsOn(agent_key)).toEqual([]);
  });
});

it('a letter about a purchase is sent again, to its reader alone; one that held a link is not', async () => {
  const { agent: buyer, member, customer } = await buyingByCard(service);
  const colleague = new Customer(service);
  const link = await linkOfInvited(service, member, { email: colleague.email });
  await buyer.post('/api/agent/v1/invitations/accept', { link });
  const { account_key } = (await buyer.get('/api/agent/v1/me')).body;
  await queueDueLetters(service.runtime);
  await customer.letters();
  const { letters } = (await perform('console_customers', ctx(), { account_key })).body;
  const joined = letters.find(({ what, address }) => what.startsWith('member joined') && address === customer.email);
  const secret = letters.find(({ repeatable }) => !repeatable);
  const counts = async () => [(await customer.letters()).length, (await colleague.letters()).length];
  const [before = 0, others = 0] = await counts();
  await perform('send_letter_again', ctx(), { letter_key: joined?.letter_key, reason });
  expect(await counts()).toEqual([before + 1, others]);
  expect((await customer.letters())[0]?.subject).toBe('Somebody joined your account');
  await expect(perform('send_letter_again', ctx(), { letter_key: secret?.letter_key, reason })).rejects.toMatchObject({
    code: 'action_not_allowed',
  });
  expect(await actsOn(`letter:${joined?.letter_key}`)).toEqual([{ action: 'send_letter_again', reason }]);
});

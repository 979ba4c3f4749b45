import { accountOfAgent, pauseAgentBy, revokeAgentBy } from '../identity/agent-acts.ts';
import { assembled, type Sql, sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/customers.ts';

interface CustomerRow {
  account_key: string;
  created_at: Date;
  closed_at: Date | null;
  owner: string | null;
  members: number;
  agents: number;
  waivers: number;
  blocks: number;
}

export const consoleAccounts: Verb<typeof contract.consoleAccounts> = async ({ input, db }) => {
  const { q, blocked, after, limit } = input;
  const behind =
    after === null
      ? null
      : await db.maybe<{ created_at: Date }>(sql`
    select created_at from accounts where account_key = ${after}`);
  if (behind === undefined) throw new Problem('not_found', 'after does not name an existing page.');
  const rows = await db.many<CustomerRow>(
    pageOf({ q, blocked, behind: behind && after ? { at: behind.created_at, key: after } : null, limit: limit + 1 }),
  );
  const shown = rows.slice(0, limit);
  return {
    body: {
      customers: shown.map((row) => ({
        ...row,
        created_at: row.created_at.toISOString(),
        closed_at: row.closed_at?.toISOString() ?? null,
      })),
      next_after: rows.length > limit ? (shown.at(-1)?.account_key ?? null) : null,
    },
  };
};

interface Page {
  q: string | null;
  blocked: boolean;
  behind: { at: Date; key: string } | null;
  limit: number;
}

const endOfTime = { at: new Date('9999-01-01'), key: '' };

/** Sorts behind every letter that an address begins with. */
const lastLetter = '\u{10ffff}';

function pageOf({ q, blocked, behind, limit }: Page): Sql {
  const { at, key } = behind ?? endOfTime;
  const page = [at, key, blocked, limit];
  if (q === null) return assembled(assembly, ['accounts'], page);
  const wanted = q.toLowerCase();
  const beginning = `${wanted.replace(/[\\%_]/g, '\\$&')}%`;
  return assembled(assembly, [found], [...page, q, wanted, `${wanted}${lastLetter}`, beginning]);
}

/**
 * The accounts that a search means. Plans don't depend on what is sought, and so don't use the index of addresses for
 * `like`: the range of all that begins so does.
 */
const found = `(
  select account_key, created_at, closed_at from accounts where account_key = any (array(
    select $5::text
    union all select account_key from members where email >= $6 and email < $7
    union all select account_key from principals where principal_key in ($5, $6) or lower(name) like $8))
  offset 0)`;

/** Each count uses an index, and only for the accounts of one page. */
const assembly = (accounts: string): string => `
  select a.account_key, a.created_at, a.closed_at,
    (select email from members m where m.account_key = a.account_key
      order by role = 'owner' desc, created_at limit 1) as owner,
    (select count(*)::int from members m where m.account_key = a.account_key) as members,
    (select count(*)::int from principals p where p.account_key = a.account_key) as agents,
    (select count(*)::int from jobs j where j.account_key = a.account_key and j.state = 'waived') as waivers,
    (select count(*)::int from purchase_blocks b where b.account_key = a.account_key and lifted_at is null) as blocks
  from ${accounts} a
  where (a.created_at, a.account_key) < ($1::timestamptz, $2)
    and (not $3::boolean or a.account_key in (
      select account_key from purchase_blocks where lifted_at is null and account_key is not null))
  order by a.created_at desc, a.account_key desc limit $4`;

export const pauseCustomerAgent: Verb<typeof contract.pauseCustomerAgent> = async ({ ctx, caller, input, tx }) => {
  const { agent_key, reason } = input;
  const paused = input.paused === 'yes';
  const accountKey = await accountOfAgent(tx, agent_key);
  await pauseAgentBy(tx, { accountKey, actor: 'operator' }, { agent_key, paused }, ctx.now);
  const act = `${paused ? 'paused' : 'resumed'}: ${reason}`;
  noteAct(tx, caller, { subject: agent_key, action: 'pause_customer_agent', reason: act }, ctx.now);
  return { body: { done: true } };
};

export const revokeCustomerAgent: Verb<typeof contract.revokeCustomerAgent> = async ({ ctx, caller, input, tx }) => {
  const { agent_key, reason } = input;
  const accountKey = await accountOfAgent(tx, agent_key);
  await revokeAgentBy(tx, { accountKey, actor: 'operator' }, agent_key, ctx.now);
  noteAct(tx, caller, { subject: agent_key, action: 'revoke_customer_agent', reason }, ctx.now);
  return { body: { done: true } };
};

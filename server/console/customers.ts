import type { Prisma } from '../generated/prisma/client.ts';
import { utcDay } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import type * as contract from './contract/customers.ts';
import { blocksOf, cardsOf, endpointsOf, lettersTo, purchasesOf } from './customer-records.ts';

/** Agents and members of an account to show. */
const shownMax = 200;
/** Credentials of an agent to show, newest first. */
const credentialsMax = 5;

export const consoleCustomers: Verb<typeof contract.consoleCustomers> = async ({ ctx, input, db }) => {
  const account = await ctx.runtime.prisma.account.findUnique({
    where: { accountKey: input.account_key },
    select: {
      accountKey: true,
      createdAt: true,
      closedAt: true,
      closedBy: true,
      members: {
        select: { memberKey: true, email: true, role: true, createdAt: true, removedAt: true },
        orderBy: { createdAt: 'asc' },
        take: shownMax,
      },
      principals: {
        orderBy: { createdAt: 'desc' },
        take: shownMax,
        select: {
          principalKey: true,
          kind: true,
          name: true,
          revokedAt: true,
          grant: {
            select: {
              perJobLimitMicrocents: true,
              dailyLimitMicrocents: true,
              totalLimitMicrocents: true,
              pausedAt: true,
              expiresAt: true,
              paymentMethods: true,
              usage: { select: { day: true, usedMicrocents: true } },
            },
          },
          credentials: {
            select: { credentialKey: true, createdAt: true, expiresAt: true, lastUsedAt: true, revokedAt: true },
            orderBy: { createdAt: 'desc' },
            take: credentialsMax,
          },
        },
      },
    },
  });
  if (!account) throw new Problem('not_found', 'No account has this key.');
  const waiversBy = await waiversOf(db, account.accountKey);
  return {
    body: {
      account_key: account.accountKey,
      created_at: account.createdAt.toISOString(),
      ...peopleOf(account),
      agents: account.principals.map((agent) => agentView(agent, utcDay(ctx.now))),
      blocks: await blocksOf(db, account.accountKey),
      purchases: await purchasesOf(ctx.runtime.prisma, db, account.accountKey, ctx.now),
      cards: await cardsOf(db, account.accountKey),
      endpoints: await endpointsOf(db, account.accountKey),
      letters: await lettersTo(
        db,
        account.members.map(({ email }) => email),
      ),
      waivers: waiversBy.reduce((sum, { waived }) => sum + waived, 0),
      waivers_by: waiversBy.map((row) => ({ ...row, last_at: row.last_at?.toISOString() ?? null })),
    },
  };
};

interface People {
  closedAt: Date | null;
  closedBy: string | null;
  members: { memberKey: string; email: string; role: string; createdAt: Date; removedAt: Date | null }[];
}

/** The members of an account, and which of them closed it. */
function peopleOf({ closedAt, closedBy, members }: People): Pick<contract.CustomerRecord, 'closed' | 'members'> {
  const by = members.find(({ memberKey }) => memberKey === closedBy)?.email ?? 'a member';
  return {
    closed: closedAt && { at: closedAt.toISOString(), by },
    members: members.map(({ email, role, createdAt, removedAt }) => ({
      email,
      role,
      created_at: createdAt.toISOString(),
      removed_at: removedAt?.toISOString() ?? null,
    })),
  };
}

type AgentParts = Prisma.PrincipalGetPayload<{
  select: {
    principalKey: true;
    kind: true;
    name: true;
    revokedAt: true;
    grant: { include: { usage: { select: { day: true; usedMicrocents: true } } } };
    credentials: {
      select: { credentialKey: true; createdAt: true; expiresAt: true; lastUsedAt: true; revokedAt: true };
    };
  };
}>;
type GrantParts = Pick<
  NonNullable<AgentParts['grant']>,
  | 'perJobLimitMicrocents'
  | 'dailyLimitMicrocents'
  | 'totalLimitMicrocents'
  | 'pausedAt'
  | 'expiresAt'
  | 'paymentMethods'
  | 'usage'
>;

/** An agent with its limits and spending; `today` is the day whose limit counts. */
function agentView(agent: Omit<AgentParts, 'grant'> & { grant: GrantParts | null }, today: string) {
  const { principalKey, kind, name, revokedAt, grant, credentials } = agent;
  const usage = grant?.usage ?? [];
  const used = (days: typeof usage) => toWire(days.reduce((sum, { usedMicrocents }) => sum + usedMicrocents, 0n));
  return {
    agent_key: principalKey,
    kind,
    name,
    state: revokedAt ? ('revoked' as const) : grant?.pausedAt ? ('paused' as const) : ('active' as const),
    per_job_microcents: toWire(grant?.perJobLimitMicrocents ?? 0n),
    daily_microcents: toWire(grant?.dailyLimitMicrocents ?? 0n),
    total_microcents: grant?.totalLimitMicrocents == null ? null : toWire(grant.totalLimitMicrocents),
    ends_at: grant?.expiresAt?.toISOString() ?? null,
    used_today_microcents: used(usage.filter(({ day }) => utcDay(day) === today)),
    used_microcents: used(usage),
    methods: grant?.paymentMethods ?? [],
    credentials: credentials.map((one) => ({
      credential_key: one.credentialKey,
      created_at: one.createdAt.toISOString(),
      expires_at: one.expiresAt?.toISOString() ?? null,
      last_used_at: one.lastUsedAt?.toISOString() ?? null,
      revoked_at: one.revokedAt?.toISOString() ?? null,
    })),
  };
}

interface WaiversOf {
  agent_key: string;
  payer: string | null;
  waived: number;
  delivered: number;
  last_at: Date | null;
}

/** How many delivered reports each buyer and payer of an account got waived. */
function waiversOf(db: Queries, accountKey: string): Promise<WaiversOf[]> {
  return db.many<WaiversOf>(sql`
    select j.principal_key as agent_key, x.payer, count(*) filter (where j.state = 'waived')::int as waived,
      count(*)::int as delivered, max(j.finalized_at) filter (where j.state = 'waived') as last_at
    from jobs j left join payments p on p.job_key = j.job_key and p.state = 'collected'
      left join x402_transfers x on x.payment_key = p.payment_key
    where j.account_key = ${accountKey} and j.delivered_at is not null and exists (
      select from jobs w where w.account_key = ${accountKey} and w.principal_key = j.principal_key and w.state = 'waived')
    group by j.principal_key, x.payer having count(*) filter (where j.state = 'waived') > 0
    order by waived desc, agent_key limit ${shownMax}`);
}

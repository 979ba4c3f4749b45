import { Problem } from '../door/problem.ts';
import type { Verb } from '../door/verb.ts';
import { utcDay } from '../kernel/clock.ts';
import { toWire } from '../kernel/money.ts';
import { sql } from '../kernel/sql.ts';
import type * as contract from './contract.ts';

/** Agents and blocks of an account that are shown. */
const shownMax = 200;

export const consoleCustomers: Verb<typeof contract.consoleCustomers> = async ({ ctx, input, db }) => {
  const account = await ctx.runtime.prisma.account.findUnique({
    where: { accountKey: input.account_key },
    select: {
      accountKey: true,
      createdAt: true,
      members: { select: { email: true, role: true, createdAt: true }, orderBy: { createdAt: 'asc' }, take: shownMax },
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
              usage: { where: { day: new Date(utcDay(ctx.now)) }, select: { usedMicrocents: true } },
            },
          },
        },
      },
      blocks: { orderBy: { createdAt: 'desc' }, take: shownMax },
    },
  });
  if (!account) throw new Problem('not_found', 'No account has this key.');
  const { waivers } = await db.one<{ waivers: bigint }>(sql`
    select count(*) as waivers from jobs where account_key = ${account.accountKey} and state = 'waived'`);
  return {
    body: {
      account_key: account.accountKey,
      created_at: account.createdAt.toISOString(),
      members: account.members.map(({ createdAt, ...member }) => ({ ...member, created_at: createdAt.toISOString() })),
      agents: account.principals.map(({ principalKey, kind, name, revokedAt, grant }) => ({
        agent_key: principalKey,
        kind,
        name,
        state: revokedAt ? ('revoked' as const) : grant?.pausedAt ? ('paused' as const) : ('active' as const),
        per_job_microcents: toWire(grant?.perJobLimitMicrocents ?? 0n),
        daily_microcents: toWire(grant?.dailyLimitMicrocents ?? 0n),
        total_microcents: grant?.totalLimitMicrocents == null ? null : toWire(grant.totalLimitMicrocents),
        used_today_microcents: toWire(grant?.usage[0]?.usedMicrocents ?? 0n),
      })),
      blocks: account.blocks.map((block) => ({
        block_key: block.blockKey,
        cause: block.cause,
        created_at: block.createdAt.toISOString(),
        lifted_at: block.liftedAt?.toISOString() ?? null,
        lifted_by: block.liftedBy,
        lifted_because: block.liftedBecause,
      })),
      waivers: Number(waivers),
    },
  };
};

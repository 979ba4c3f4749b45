import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { toWire } from '../kernel/money.ts';
import { sql, statement } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Operator } from '../operation/caller.ts';
import type { ConsoleOperation } from '../operation/operator-roles.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { archivedAuditOf, wholeAudit } from '../purchases/archive/archived-audit.ts';
import type * as contract from './contract/audit.ts';
import { type Broken, type VerifiedSeals, verifySeals } from './seals.ts';

/** What only commands do. */
type CommandAct = 'operator_role' | 'record_withdrawal' | 'skip_receipt_numbers' | 'end_dispute';

/** An operator's act, as recorded. */
export interface Noted {
  /** What it is done to: the key of a purchase or block, the name of a switch, a transfer. Its acts form a chain. */
  subject: string;
  action: ConsoleOperation | CommandAct;
  reason: string;
  purchase?: string | null;
  /** The microcents that it moves or gives up. */
  amount?: bigint | null;
}

/** Whoever runs a command of the service. */
export const byCommand: Operator = { kind: 'operator', name: 'operator', role: 'command', signedInAt: null };

/** Records an operator's act in the audit, in the transaction that carries it out. */
export function noteAct(tx: Tx, by: Operator, act: Noted, now: Date): void {
  tx.write(sql`
    insert into operator_acts (subject, at, actor, role, action, reason, purchase_key, amount_microcents)
    values (${act.subject}, ${now}, ${by.name}, ${by.role}, ${act.action}, ${act.reason}, ${act.purchase ?? null},
      ${act.amount ?? null})`);
}

/** Records that a command granted or revoked a role. */
export function noteRoleChange(tx: Tx, address: string, change: string, now: Date): void {
  noteAct(
    tx,
    byCommand,
    { subject: `operator:${address.toLowerCase()}`, action: 'operator_role', reason: change },
    now,
  );
}

/** Records that a command booked a transfer of ours as taken out. */
export function noteWithdrawal(tx: Tx, subject: string, amount: bigint, now: Date): void {
  const reason = 'npm run money -- withdrawal';
  noteAct(tx, byCommand, { subject, action: 'record_withdrawal', reason, amount }, now);
}

export const consoleActs: Verb<typeof contract.consoleActs> = async ({ ctx, input }) => {
  const { after, limit } = input;
  const { operatorAct } = ctx.runtime.prisma;
  const found = await operatorAct.findMany({
    ...(after === null ? {} : { where: await behind(operatorAct, after) }),
    orderBy: [{ at: 'desc' }, { subject: 'desc' }, { sequence: 'desc' }],
    take: limit + 1,
  });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    body: {
      acts: rows.map((row) => ({
        subject: row.subject,
        sequence: row.sequence,
        at: row.at.toISOString(),
        actor: row.actor,
        role: row.role,
        action: row.action,
        reason: row.reason,
        purchase_key: row.purchaseKey,
        amount_microcents: row.amountMicrocents === null ? null : toWire(row.amountMicrocents),
        hash: row.hash,
      })),
      next_after: last && found.length > limit ? `${last.sequence}:${last.subject}` : null,
    },
  };
};

/** The acts after one. Acts of one request share their instant. Throws `not_found`. */
async function behind(acts: PrismaClient['operatorAct'], after: string): Promise<Prisma.OperatorActWhereInput> {
  const [number = '', subject = ''] = after.split(/:(.*)/s, 2);
  const sequence = Number(number);
  const last = await acts.findUnique({ where: { subject_sequence: { subject, sequence } }, select: { at: true } });
  if (!last) throw new Problem('not_found', 'after does not name an existing page.');
  const { at } = last;
  return {
    at: { lte: at },
    OR: [{ at: { lt: at } }, { subject: { lt: subject } }, { subject, sequence: { lt: sequence } }],
  };
}

const nothingSealed: VerifiedSeals = { seals: 0, sealed_rows: 0, since: null, broken: [] };

/** Each row of the audit of the purchase `$1`, of all that operators acted on where that is null, with its fault. */
const chainedAudit = `
  select purchase_key as subject, sequence, case
      when encode(sha256(convert_to(concat_ws(E'\\x1f', purchase_key, sequence, extract(epoch from at), actor, action,
        state_from, state_to, previous_hash), 'UTF8')), 'hex') <> hash then 'changed'
      when number <> sequence or before is distinct from previous_hash then 'missing'
      when is_last and ends_at <> state_to then 'cut off' end as fault
  from (
    select a.purchase_key, a.sequence, a.at, a.actor, a.action, a.state_from, a.state_to, a.previous_hash, a.hash,
      coalesce(lag(a.hash) over chain, encode(e.hash, 'hex')) as before,
      row_number() over chain + coalesce(first_value(e.sequence) over chain, 0) as number,
      lead(a.hash) over chain is null as is_last, jobs.state as ends_at
    from (${wholeAudit('in (select purchase_key from operator_acts where $1::text is null union all select $1)', '$2')}) a
      left join jobs on jobs.quote_key = a.purchase_key
      left join audit_ends e on e.purchase_key = a.purchase_key and e.sequence = a.sequence - 1
    window chain as (partition by a.purchase_key order by a.sequence)) chained`;

/**
 * Recomputes the hash of each act, and of each audit row of the purchases with acts, and checks that the chains are
 * complete: numbered from 1, each naming the previous hash, and ending at the job's current state. Without a purchase,
 * also verifies the newest seals and the rows of all purchases in them. Of what lies in the archive it reads a purchase
 * that is asked for; of others it takes the last hash.
 */
export const verifyActs: Verb<typeof contract.verifyActs> = async ({ ctx, input, db }) => {
  const { purchase_key: only } = input;
  const acts = await db.many<Broken>(sql`
    select subject, sequence, case
        when operator_act_hash(act) <> (act).hash then 'changed'
        when number <> sequence or before is distinct from previous_hash then 'missing' end as fault
    from (
      select act, subject, sequence, previous_hash, lag(hash) over chain as before,
        row_number() over chain as number
      from operator_acts act where ${only}::text is null or purchase_key = ${only}
      window chain as (partition by subject order by sequence)) chained`);
  const archived = only === null ? [] : await archivedAuditOf(db, ctx.runtime.archive, only);
  const rows = await db.many<Broken>(statement(chainedAudit, [only, JSON.stringify(archived)]));
  const sealed = only === null ? await verifySeals(db) : nothingSealed;
  const chained = [...acts, ...rows].filter(({ fault }) => fault !== null);
  const known = new Set(chained.map(({ subject, sequence }) => `${subject} ${sequence}`));
  const broken = [...chained, ...sealed.broken.filter((one) => !known.has(`${one.subject} ${one.sequence}`))];
  return {
    body: {
      acts: acts.length,
      rows: rows.length,
      seals: sealed.seals,
      sealed_rows: sealed.sealed_rows,
      sealed_since: sealed.since?.toISOString() ?? null,
      broken: broken.slice(0, 100).map(({ subject, sequence, fault }) => ({ subject, sequence, fault })),
    },
  };
};

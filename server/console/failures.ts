import { after } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { told, toldMax } from '../payments/told.ts';
import { Problem } from '../problems/problem.ts';
import { deadLetterQueue, redriveLetters } from '../queue/queue.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/failures.ts';
import { onWire } from './wire.ts';

interface FailedJob {
  job_key: string;
  at: Date;
  state: string;
  payment_state: string;
  tries: number;
  failure: string | null;
  amount_microcents: bigint;
}

interface DeadLetter {
  letter_id: string;
  kind: string;
  at: Date;
  tries: number;
  error: string | null;
}

/** How long failed jobs are listed: their payments went back when they failed. */
const failedSeconds = 30 * 86_400;

export const consoleFailures: Verb<typeof contract.consoleFailures> = async ({ ctx, input, db }) => {
  const failed = await told<FailedJob>(
    db,
    sql`
      select job_key, finalized_at as at, state, payment_state, tries, failure, price_microcents as amount_microcents,
        count(*) over () as total
      from jobs where state = 'failed' and created_at > ${after(ctx.now, -failedSeconds)}
      order by created_at desc limit ${toldMax}`,
  );
  const triedAgain = await told<FailedJob>(
    db,
    sql`
      select job_key, updated_at as at, state, payment_state, tries, failure, price_microcents as amount_microcents,
        count(*) over () as total
      from jobs where state in ('queued', 'running', 'rechecking') and tries > 1
      order by updated_at limit ${toldMax}`,
  );
  const letters = await told<DeadLetter>(
    db,
    sql`
      select id::text as letter_id, data ->> 'kind' as kind, created_on as at, source_retry_count as tries,
        left(coalesce(source_output ->> 'code', source_output ->> 'name', source_output ->> 'message'), 200) as error,
        count(*) over () as total
      from pgboss.job
      where name = ${deadLetterQueue} and state < 'active' and (${input.kind}::text is null or data ->> 'kind' = ${input.kind})
      order by created_on limit ${toldMax}`,
  );
  const kinds = await db.many<{ value: string; count: number }>(sql`
    select data ->> 'kind' as value, count(*)::int as count from pgboss.job
    where name = ${deadLetterQueue} and state < 'active' group by 1 order by 1`);
  return {
    body: { failed: onWire(failed), tried_again: onWire(triedAgain), letters: onWire(letters), kinds },
  };
};

/** Letters retried at once. */
const retriedMax = 1_000;

/** Returns dead letters to their queue with all their tries. What was sent is not sent twice. */
export const retryLetters: Verb<typeof contract.retryLetters> = async ({ ctx, caller, input, tx }) => {
  const { letter_id: id, kind, reason } = input;
  const found = await tx.many<{ id: string }>(sql`
    select id::text as id from pgboss.job
    where name = ${deadLetterQueue} and state < 'active' and (${id}::uuid is null or id = ${id}::uuid)
      and (${kind}::text is null or data ->> 'kind' = ${kind})
    order by created_on limit ${retriedMax}`);
  const moved =
    found.length === 0
      ? 0
      : await redriveLetters(
          tx,
          ctx.runtime.queue,
          found.map((one) => one.id),
        );
  if (moved === 0) throw new Problem('not_found', 'No such dead letter exists any more.');
  const subject = `letters:${id ?? kind ?? 'all'}`;
  noteAct(tx, caller, { subject, action: 'retry_letters', reason: `${moved} put back: ${reason}` }, ctx.now);
  return { body: { moved } };
};

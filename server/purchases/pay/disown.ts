import { closeLinks, linksClosedAt, lockAccount } from '../../identity/account.ts';
import { recordEvent } from '../../identity/account-event.ts';
import { blockPayer, disownedPayments, liftBlocks, type PaymentBlock, paymentBlocks } from '../../identity/blocked.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Rails, StrangersPayment } from '../../payments/rail.ts';
import type { Runtime } from '../../runtime.ts';
import { notAllowed } from '../job/row.ts';
import type * as contract from '../payment-contract.ts';
import { remediesAllowed } from '../work/remedies.ts';

/** An account's blocks for payments, and which of the payments its members may disown. */
interface Contested {
  blocks: (PaymentBlock & { job_key: string; by?: StrangersPayment })[];
  linksClosedAt: Date | null;
}

/** The payments that keep an account from buying. */
export const contestedPayments: Verb<typeof contract.contestedPayments> = async ({ ctx, caller, db }) => ({
  body: viewOf(await contestedOf(db, ctx.runtime, caller.accountKey)),
});

/**
 * "Not our payment": lifts what strangers' payments block, once for all. Their cards stay blocked, and only members pay
 * by card on the account's links from then on, so nobody lifts a second deserved block this way (specification 4.11).
 */
export const disownPayments: Verb<typeof contract.disownPayments> = async ({ ctx, caller, tx }) => {
  const { accountKey, memberKey } = caller;
  const { runtime, now } = ctx;
  await lockAccount(tx, accountKey);
  const found = await contestedOf(tx, runtime, accountKey);
  if (found.blocks.length === 0) return { body: viewOf(found) };
  const strangers = found.blocks.flatMap(({ by }) => by ?? []);
  if (strangers.length === 0) {
    throw notAllowed(
      'Nothing was paid by somebody outside of your account, as far as we can tell, or too much was. Write to us: an ' +
        'operator looks at it and can lift the block.',
    );
  }
  closeLinks(tx, accountKey, now);
  for (const { payment_key: paymentKey, payers } of strangers) {
    for (const payer of payers) blockPayer(tx, payer, { cause: 'disowned_card', paymentKey, now });
  }
  for (const { block_key, by } of found.blocks) {
    if (by) await liftBlocks(tx, block_key, { actor: memberKey, because: 'Not our payment.', now });
  }
  const payments = [...new Set(strangers.map(({ payment_key }) => payment_key))];
  recordEvent(tx, {
    accountKey,
    principalKey: null,
    actor: memberKey,
    action: 'payments_disowned',
    detail: { payments },
    at: now,
  });
  return { body: viewOf(await contestedOf(tx, runtime, accountKey)) };
};

/** Each disowned payment costs what a remedy costs, so an account disowns as many, and leaves the rest to an operator. */
async function contestedOf(
  db: Queries,
  { rails, configuration: { remediesMax } }: Pick<Runtime, 'rails' | 'configuration'>,
  accountKey: string,
): Promise<Contested> {
  const blocks = await paymentBlocks(db, accountKey);
  const keys = blocks.map(({ payment_key }) => payment_key);
  const jobs = await db.many<{ payment_key: string; job_key: string }>(sql`
    select payment_key, job_key from payments where payment_key = any(${keys}::text[])`);
  const jobOf = new Map(jobs.map(({ payment_key, job_key }) => [payment_key, job_key]));
  const strangers = await strangersAmong(db, rails, accountKey, keys);
  const { has_accepted } = await db.one<{ has_accepted: boolean }>(sql`
    select exists (select from jobs where account_key = ${accountKey} and state = 'accepted') as has_accepted`);
  const disowned = new Set([...(await disownedPayments(db, accountKey)), ...strangers.keys()]);
  const isTooMuch = remediesMax > 0 && disowned.size > remediesAllowed(remediesMax, has_accepted);
  return {
    blocks: blocks.map((block) => {
      const by = isTooMuch ? undefined : strangers.get(block.payment_key);
      return { ...block, job_key: jobOf.get(block.payment_key) ?? '', ...(by ? { by } : {}) };
    }),
    linksClosedAt: await linksClosedAt(db, accountKey),
  };
}

async function strangersAmong(
  db: Queries,
  rails: Rails,
  accountKey: string,
  paymentKeys: readonly string[],
): Promise<Map<string, StrangersPayment>> {
  const found: StrangersPayment[] = [];
  for (const { hosted } of rails.values()) {
    found.push(...((await hosted?.byStrangers(db, accountKey, paymentKeys)) ?? []));
  }
  return new Map(found.map((payment) => [payment.payment_key, payment]));
}

function viewOf({ blocks, linksClosedAt: at }: Contested): contract.ContestedPayments {
  return {
    payments: blocks.map(({ payment_key, job_key, cause, created_at, by }) => ({
      payment_key,
      job_key,
      cause,
      since: created_at.toISOString(),
      can_disown: by !== undefined,
    })),
    links_closed_at: at?.toISOString() ?? null,
  };
}

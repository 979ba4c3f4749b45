import type pg from 'pg';
import { controlClient } from '../../sandbox/control-client.ts';

const microcentsPerCent = 1_000_000n;
const fromCents = (cents: number): bigint => BigInt(cents) * microcentsPerCent;

/**
 * Lists the differences between the card provider's books and ours (I4, I5, I6, I8, I24, I26), from the provider's data
 * and not from what the service has read. A charge that is not recorded yet must belong to an open payment, and the
 * service may not have heard of a dispute. Once everything has settled (`isSettled`) neither excuse holds, and the
 * provider's balance must be the ledger's. Empty when they agree.
 */
export async function cardDifferences(
  database: Pick<pg.Pool, 'query'>,
  controlUrl: string,
  { isSettled = false }: { isSettled?: boolean } = {},
): Promise<string[]> {
  const { rows: known } = await database.query<{ there: boolean }>(
    `select exists (select from card_payments) as there`,
  );
  if (!known[0]?.there) return [];
  const theirs = await controlClient(controlUrl).stripe.books();
  const ours = await readOurs(database);
  return [
    ...charges(theirs, ours, isSettled),
    ...collections(theirs, ours),
    ...pages(theirs, ours),
    ...refunds(theirs, ours, isSettled),
    ...disputes(theirs, ours, isSettled),
    ...(isSettled ? await balance(database, theirs) : []),
  ];
}

type Theirs = Awaited<ReturnType<ReturnType<typeof controlClient>['stripe']['books']>>;
type Ours = Awaited<ReturnType<typeof readOurs>>;

async function readOurs(database: Pick<pg.Pool, 'query'>) {
  const { rows: charges } = await database.query<{
    charge_id: string;
    intent_id: string;
    payment_key: string;
    job_key: string;
    use: string;
    amount: string;
    fee: string;
  }>(`select charge_id, intent_id, payment_key, job_key, use, c.amount_microcents::text as amount,
    fee_microcents::text as fee from card_charges c left join payments using (payment_key)`);
  const { rows: attempts } = await database.query<{ payment_key: string; state: string; session_id: string | null }>(
    `select payment_key, state, session_id from payments join card_payments using (payment_key)`,
  );
  const { rows: refunds } = await database.query<{
    intent_id: string;
    provider_refund_id: string | null;
    state: string;
    dropped: boolean;
    amount: string;
  }>(`select intent_id, provider_refund_id, state, dropped_at is not null as dropped, amount_microcents::text as amount from refunds
    where intent_id is not null`);
  const { rows: disputes } = await database.query<{
    dispute_id: string;
    intent_id: string;
    outcome: string | null;
    withdrawn: string;
    fee: string;
  }>(`select dispute_id, intent_id, outcome, withdrawn_microcents::text as withdrawn, fee_microcents::text as fee
    from card_disputes`);
  return { charges, attempts, refunds, disputes };
}

const isOpen = ({ state }: { state: string }): boolean => state === 'settling' || state === 'unknown';
const isGone = ({ status }: { status: string | null }): boolean => status === 'failed' || status === 'canceled';

function charges(theirs: Theirs, ours: Ours, isSettled: boolean): string[] {
  const found: string[] = [];
  for (const charge of theirs.charges.filter(({ status }) => status === 'succeeded')) {
    const own = ours.charges.find(({ charge_id }) => charge_id === charge.id);
    const key = charge.metadata.payment_key;
    // The account may sell other things.
    if (!key) continue;
    if (!own) {
      const attempt = ours.attempts.find(({ payment_key }) => payment_key === key);
      if (isSettled || !attempt || !isOpen(attempt)) found.push(`I6 ${charge.id} of ${key} is in no book of ours`);
      continue;
    }
    const fee = theirs.movements.find(({ source, type }) => source === charge.id && type === 'charge')?.fee ?? 0;
    if (BigInt(own.amount) !== fromCents(charge.amount)) found.push(`I6 ${charge.id} differs in amount`);
    if (BigInt(own.fee) !== fromCents(fee)) found.push(`I6 ${charge.id} differs in its fee`);
    if (own.payment_key !== key) found.push(`I26 ${charge.id} pays for ${key}, and here for ${own.payment_key}`);
  }
  for (const { charge_id } of ours.charges) {
    if (!theirs.charges.some(({ id, status }) => id === charge_id && status === 'succeeded')) {
      found.push(`I6 ${charge_id} is not in the provider's books`);
    }
  }
  return found;
}

/** The amount charged for a job, neither refunded nor owed back, is at most its price once. */
function collections(theirs: Theirs, ours: Ours): string[] {
  const lost = new Set(theirs.disputes.filter(({ status }) => status === 'lost').map(({ charge }) => String(charge)));
  const kept = ours.charges.filter(({ charge_id, intent_id }) => {
    const charge = theirs.charges.find(({ id }) => id === charge_id);
    const isOwed = ours.refunds.some((refund) => refund.intent_id === intent_id);
    return charge && charge.amount_refunded < charge.amount && !lost.has(charge_id) && !isOwed;
  });
  const jobs = new Set(kept.map(({ job_key }) => job_key));
  return [...jobs]
    .map((job) => ({ job, times: kept.filter(({ job_key }) => job_key === job).length }))
    .filter(({ times }) => times > 1)
    .map(({ job, times }) => `I4 ${job} was paid by card ${times} times`);
}

/** Nobody can pay any more for a decided job. */
function pages(theirs: Theirs, ours: Ours): string[] {
  const open = theirs.sessions.filter(({ status }) => status === 'open').map(({ id }) => id);
  return ours.attempts
    .filter((attempt) => !isOpen(attempt) && attempt.session_id && open.includes(attempt.session_id))
    .map(({ payment_key }) => `I4 ${payment_key} is decided, and its page can still be paid on`);
}

function refunds(theirs: Theirs, ours: Ours, isSettled: boolean): string[] {
  const found: string[] = [];
  for (const { intent_id: intent, provider_refund_id: named, state, dropped, amount } of ours.refunds) {
    const made = theirs.refunds.filter((refund) => refund.payment_intent === intent && !isGone(refund));
    const charge = theirs.charges.find(({ payment_intent }) => payment_intent === intent);
    const back = made.reduce((sum, refund) => sum + refund.amount, 0);
    if (fromCents(back) > BigInt(amount)) found.push(`I5 ${intent} was given back more than once`);
    if (charge && back > charge.amount) found.push(`I5 ${intent} gave back more than it took`);
    // Part of it may have been refunded by hand before.
    if (state === 'refunded' && (!made.some(({ id }) => id === named) || fromCents(back) !== BigInt(amount))) {
      found.push(`I6 ${intent} is refunded here and not there`);
    }
    // One that was under way when its charge was lost may still be.
    const arrived = made.filter(({ status }) => !dropped || status === 'succeeded');
    if (state === 'refund_failed' && arrived.length > 0) found.push(`I6 ${intent} is refunded there and failed here`);
    if (isSettled && state === 'refund_pending') found.push(`I7 ${intent} is not given back`);
  }
  for (const refund of theirs.refunds.filter((one) => !isGone(one))) {
    if (!ours.refunds.some(({ intent_id }) => intent_id === refund.payment_intent)) {
      found.push(`I5 ${refund.id} gives back what nobody owed`);
    }
  }
  return found;
}

function disputes(theirs: Theirs, ours: Ours, isSettled: boolean): string[] {
  const found: string[] = [];
  for (const { dispute_id: id, intent_id: intent, outcome, withdrawn, fee } of ours.disputes) {
    const dispute = theirs.disputes.find((one) => one.id === id && one.payment_intent === intent);
    if (!dispute) {
      found.push(`I24 ${id} is not in the provider's books`);
      continue;
    }
    const { status, balance_transactions: moves } = dispute;
    if (!tookIn(moves, isSettled).includes(`${withdrawn} ${fee}`)) found.push(`I24 ${id} took another amount`);
    const stands = ['won', 'warning_closed', 'prevented'].includes(status);
    if (outcome === 'won' && !stands) found.push(`I24 ${id} is won here and ${status} there`);
    if (outcome === 'lost' && status !== 'lost') found.push(`I24 ${id} is lost here and ${status} there`);
    if (isSettled && outcome === null && (stands || status === 'lost'))
      found.push(`I24 ${id} is open here and ${status}`);
  }
  for (const { id, payment_intent } of theirs.disputes) {
    const isOurs = ours.charges.some(({ intent_id }) => intent_id === payment_intent);
    const isKnown = ours.disputes.some(({ dispute_id }) => dispute_id === id);
    if (isSettled && isOurs && !isKnown) found.push(`I24 ${id} is in no book of ours`);
  }
  return found;
}

/** What a dispute has taken, and its fee: after its last movement, or after any where not all are known yet. */
function tookIn(moves: Theirs['disputes'][number]['balance_transactions'], isSettled: boolean): string[] {
  const after = (moved: typeof moves) =>
    `${fromCents(-moved.reduce((sum, { amount }) => sum + amount, 0))} ${fromCents(moved.reduce((sum, one) => sum + one.fee, 0))}`;
  return isSettled ? [after(moves)] : [after([]), ...moves.map((_, last) => after(moves.slice(0, last + 1)))];
}

async function balance(database: Pick<pg.Pool, 'query'>, theirs: Theirs): Promise<string[]> {
  const held = theirs.movements.reduce((sum, { net }) => sum + net, 0);
  const { rows } = await database.query<{ ledger: string }>(`
    select coalesce(sum(case when debit_account = 'asset:card' then amount_microcents else -amount_microcents end), 0)::text
      as ledger
    from ledger_transfers where 'asset:card' in (debit_account, credit_account)`);
  const ledger = BigInt(rows[0]?.ledger ?? 0);
  return ledger === fromCents(held) ? [] : [`I6 the provider holds ${fromCents(held)}, and the books say ${ledger}`];
}

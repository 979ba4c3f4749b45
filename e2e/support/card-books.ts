import type pg from 'pg';
import { controlClient } from '../../sandbox/control-client.ts';

const microcentsPerCent = 1_000_000n;

/**
 * Where the card provider's books and ours differ (I6, I8, I26), told from its own and not from what the service has read
 * there. A charge that is not written down yet belongs to a payment that is still open. Empty when they agree.
 */
export async function cardDifferences(database: Pick<pg.Pool, 'query'>, controlUrl: string): Promise<string[]> {
  const { rows: known } = await database.query<{ there: boolean }>(
    `select exists (select from card_payments) as there`,
  );
  if (!known[0]?.there) return [];
  const books = await controlClient(controlUrl).stripe.books();
  const { rows: charges } = await database.query<{
    charge_id: string;
    payment_key: string;
    use: string;
    amount: string;
  }>('select charge_id, payment_key, use, amount_microcents::text as amount from card_charges');
  const { rows: open } = await database.query<{ payment_key: string }>(
    `select payment_key from payments where rail = 'card' and state in ('settling', 'unknown')`,
  );
  const { rows: owed } = await database.query<{
    intent_id: string;
    provider_refund_id: string | null;
    state: string;
    amount: string;
  }>(
    'select intent_id, provider_refund_id, state, amount_microcents::text as amount from refunds where intent_id is not null',
  );
  const found: string[] = [];
  for (const charge of books.charges.filter(({ status }) => status === 'succeeded')) {
    const ours = charges.find(({ charge_id }) => charge_id === charge.id);
    const key = charge.metadata.payment_key;
    // The account may sell other things.
    if (!key) continue;
    if (ours) {
      if (BigInt(ours.amount) !== BigInt(charge.amount) * microcentsPerCent)
        found.push(`${charge.id} differs in amount`);
    } else if (!open.some(({ payment_key }) => payment_key === key))
      found.push(`${charge.id} of ${key} is in no book of ours`);
  }
  for (const { charge_id } of charges) {
    if (!books.charges.some(({ id }) => id === charge_id)) found.push(`${charge_id} is not in the provider's books`);
  }
  for (const refund of books.refunds.filter(({ status }) => status === 'succeeded' || status === 'pending')) {
    const ours = owed.find(({ intent_id }) => intent_id === refund.payment_intent);
    if (!ours) found.push(`${refund.id} gives back what nobody owed`);
  }
  for (const { intent_id, provider_refund_id, state, amount } of owed) {
    const theirs = books.refunds.filter(
      ({ payment_intent, status }) => payment_intent === intent_id && status === 'succeeded',
    );
    const cents = theirs.reduce((sum, one) => sum + one.amount, 0);
    if (BigInt(cents) * microcentsPerCent > BigInt(amount)) found.push(`${intent_id} was given back more than once`);
    if (state === 'refunded' && !theirs.some(({ id }) => id === provider_refund_id)) {
      found.push(`${intent_id} is refunded here and not there`);
    }
  }
  return found;
}

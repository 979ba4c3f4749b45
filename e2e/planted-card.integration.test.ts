import { beforeAll, describe, expect, it } from 'vitest';
import { buyingByCard, heard, listen, paidOnPage, payByCard, stripeOf } from './support/card.ts';
import { cardDifferences } from './support/card-books.ts';
import { brokenInvariants } from './support/invariants.ts';
import { namedOf, type PlantedFault, refusedOf, tentatively, withoutGuards } from './support/planted.ts';
import { startService, withCard } from './support/service.ts';

/** Card purchases to damage, one in each relevant state, by job key. */
interface Victims {
  /** Paid on the page. */
  paid: string;
  /** Another one of the same account, paid with its saved card. */
  saved: string;
  /** Waits for its payer, whose page is open. */
  waiting: string;
  refunded: string;
  disputed: string;
  lost: string;
  /** The account without a saved card. */
  other: string;
}

const ofJob = (job: string) => `(select payment_key from payments where job_key = '${job}')`;
const intentOf = (job: string) => `(select intent_id from card_charges where payment_key in ${ofJob(job)})`;
const refundOf = (job: string, key: string, amount: string) => `
  insert into refunds (refund_key, payment_key, job_key, intent_id, amount_microcents, reason, state, next_try_at, created_at)
  select '${key}', payment_key, job_key, intent_id, ${amount}, 'second_dispute', 'refund_pending', now(), now()
  from card_charges c join payments using (payment_key) where job_key = '${job}'`;

/** The findings of the row checker. */
const inTheRows: PlantedFault<Victims>[] = [
  {
    fault: 'a collection without a charge',
    rows: ({ waiting }) => `update payments set state = 'collected' where job_key = '${waiting}'`,
    refused: /no charge pays pay_/,
    named: 'I6 what is collected by card was paid by one charge, of its own amount',
  },
  {
    fault: 'a charge of another amount than the price',
    rows: ({ paid }) => `
      update card_charges set amount_microcents = 2 * amount_microcents where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: 'I6 what is collected by card was paid by one charge, of its own amount',
  },
  {
    fault: 'a charge that pays twice',
    rows: ({ paid, waiting }) => `
      insert into card_charges
      select (jsonb_populate_record(c, jsonb_build_object('intent_id', 'pi_x', 'charge_id', 'ch_x', 'payment_key',
        (select payment_key from payments where job_key = '${waiting}')))).*
      from card_charges c where payment_key in ${ofJob(paid)};
      update payments set state = 'failed' where job_key = '${waiting}'`,
    named: 'I6 what is collected by card was paid by one charge, of its own amount',
  },
  {
    fault: 'a charge that the books miss',
    rows: ({ paid }) =>
      `delete from ledger_transfers where event = 'charged' and event_key like '%' || ${intentOf(paid)}`,
    refused: /ledger_transfers only grows/,
    named: 'I6 every charge is in the books, once and in full, with its fee',
  },
  {
    fault: 'a fee that nobody booked',
    rows: ({ paid }) => `update card_charges set fee_microcents = 0 where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: 'I6 the provider holds in the books what charges, refunds, disputes, payouts and fees come to',
  },
  {
    fault: 'a refund of more than was charged',
    rows: ({ paid }) => refundOf(paid, 'refund_x', '2 * c.amount_microcents'),
    refused: /gives back more than arrived/,
    named: 'I5 a charge goes back once, and no more of it than it took',
  },
  {
    fault: 'a second refund of one charge',
    rows: ({ refunded }) => refundOf(refunded, 'refund_x', 'c.amount_microcents'),
    refused: /refunds_intent_key/,
    named: 'I5 a charge goes back once, and no more of it than it took',
  },
  {
    fault: 'a refund that is done without the provider',
    rows: ({ refunded }) => `update refunds set provider_refund_id = null where job_key = '${refunded}'`,
    named: 'I5 a refund that is done has a transfer, and no other has',
  },
  {
    fault: 'a late charge that is kept',
    rows: ({ paid }) => `update card_charges set use = 'late' where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: 'I8 a charge that was late is owed back',
  },
  {
    fault: 'a dispute that its job does not show',
    rows: ({ disputed }) => `update jobs set payment_state = 'collected' where job_key = '${disputed}'`,
    named: 'I24 a dispute that is open stands on its job, and no other does',
  },
  {
    fault: 'a job that is disputed by nobody',
    rows: ({ paid }) => `update jobs set payment_state = 'disputed' where job_key = '${paid}'`,
    named: 'I24 a dispute that is open stands on its job, and no other does',
  },
  {
    fault: 'an account that goes on buying while its bank contests a payment',
    rows: () => `delete from purchase_blocks where cause = 'card_dispute' and lifted_at is null`,
    named: 'I24 an account with an open dispute buys nothing new',
  },
  {
    fault: 'money that a bank took, and that the books still have',
    rows: () => `delete from ledger_transfers where event = 'contested'`,
    refused: /ledger_transfers only grows/,
    named: 'I24 what a bank holds is in suspense',
  },
  {
    fault: 'a lost dispute that reverses nothing',
    rows: ({ lost }) => `update payments set reversed_at = null where job_key = '${lost}'`,
    named: 'I24 a payment by card is reversed by a dispute that was lost, and by nothing else',
  },
  {
    fault: "another account's card that is charged",
    rows: ({ saved, other }) => `
      update saved_cards set account_key = '${other}' where card_key = (
        select card_key from card_payments where payment_key in ${ofJob(saved)})`,
    named: 'I29 a card that is kept is charged for the account that keeps it',
  },
];

/** The findings of the comparison with the provider's own books. */
const atTheProvider: PlantedFault<Victims>[] = [
  {
    fault: 'a charge that nobody wrote down',
    rows: ({ paid }) => `delete from card_charges where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: 'I6 ch_\\S+ of pay_\\S+ is in no book of ours',
  },
  {
    fault: 'a charge that never happened',
    rows: ({ paid }) => `update card_charges set charge_id = 'ch_x' where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: "I6 ch_x is not in the provider's books",
  },
  {
    fault: 'a charge that was written down with another fee',
    rows: ({ paid }) => `update card_charges set fee_microcents = 1 where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: 'I6 ch_\\S+ differs in its fee',
  },
  {
    fault: 'a charge that pays for another purchase than it was made for',
    rows: ({ paid, saved }) => `
      update card_charges set payment_key = (select payment_key from payments where job_key = '${saved}')
      where payment_key in ${ofJob(paid)}`,
    refused: /card_charges only grows/,
    named: 'I26 ch_\\S+ pays for pay_\\S+, and here for pay_',
  },
  {
    fault: 'two charges for one job',
    rows: ({ paid, saved }) => `update payments set job_key = '${paid}' where job_key = '${saved}'`,
    refused: /what is known about \S+ does not change|payments_active_key/,
    named: 'I4 job_\\S+ was paid by card 2 times',
  },
  {
    fault: 'a payment that is given up while its page is open',
    rows: ({ waiting }) => `update payments set state = 'failed', decided_at = now() where job_key = '${waiting}'`,
    named: 'I4 pay_\\S+ is decided, and its page can still be paid on',
  },
  {
    fault: 'a refund that nobody owed',
    rows: ({ refunded }) => `delete from refunds where job_key = '${refunded}'`,
    named: 'I5 re_\\S+ gives back what nobody owed',
  },
  {
    fault: 'a refund that was only written down',
    rows: ({ paid }) => `
      ${refundOf(paid, 'refund_x', 'c.amount_microcents')};
      update refunds set state = 'refunded', provider_refund_id = 're_x' where refund_key = 'refund_x'`,
    named: 'I6 pi_\\S+ is refunded here and not there',
  },
  {
    fault: 'a refund that is said to have failed',
    rows: ({ refunded }) => `update refunds set state = 'refund_failed' where job_key = '${refunded}'`,
    named: 'I6 pi_\\S+ is refunded there and failed here',
  },
  {
    fault: 'a dispute that is taken for won',
    rows: ({ disputed }) => `
      update card_disputes set outcome = 'won', closed_at = now() where payment_key in ${ofJob(disputed)}`,
    named: 'I24 \\S+ is won here and needs_response there',
  },
  {
    fault: 'a dispute that took another amount',
    rows: ({ disputed }) => `
      update card_disputes set withdrawn_microcents = 1 where payment_key in ${ofJob(disputed)}`,
    named: 'I24 \\S+ took another amount',
  },
  {
    fault: 'books that say more than the provider holds',
    rows: ({ paid }) => `
      insert into ledger_transfers
      select 'charged:pi_x', 'charged', null, null, 'asset:card', 'liability:unmatched', price_microcents, 'USD', now()
      from jobs where job_key = '${paid}'`,
    named: 'I6 the provider holds -?\\d+, and the books say -?\\d+',
  },
  {
    fault: 'a payout that was only written down',
    rows: ({ paid }) => `
      insert into ledger_transfers
      select 'paid_out:txn_x', 'paid_out', null, null, 'asset:bank', 'asset:card', price_microcents, 'USD', now()
      from jobs where job_key = '${paid}'`,
    named: 'I6 the provider holds -?\\d+, and the books say -?\\d+',
  },
];

const service = await startService(withCard);
const stripe = stripeOf(service);
const { pool } = service.database;
let victims: Victims;

/** Disputes the job's payment. */
async function contested(jobKey: string) {
  const { rows } = await pool.query<{ intent_id: string }>(`select ${intentOf(jobKey)} as intent_id`);
  return stripe.openDispute({ payment_intent: rows[0]?.intent_id ?? '' });
}

beforeAll(async () => {
  await listen(service);
  const { agent, member } = await buyingByCard(service);
  const paid = (await paidOnPage(service, agent, { member })).jobKey;
  const saved = await agent.authorizedJob();
  expect((await payByCard(agent, saved, 'card_saved')).status).toBe(200);
  const waiting = await agent.authorizedJob();
  const asked = await payByCard(agent, waiting);
  expect((await agent.post(`/api/agent/v1/payments/${asked.body.payment_key}/checkout`)).status).toBe(200);
  const refunded = (await paidOnPage(service, agent)).jobKey;
  await agent.post(`/api/agent/v1/jobs/${refunded}/cancel`);
  await service.sweep();
  // Separate accounts: a dispute blocks later purchases.
  const [one, another] = [await buyingByCard(service), await buyingByCard(service)];
  const disputed = (await paidOnPage(service, one.agent)).jobKey;
  await contested(disputed);
  const lost = (await paidOnPage(service, another.agent)).jobKey;
  await stripe.closeDispute((await contested(lost)).id, 'lost');
  await heard(service);
  victims = { paid, saved, waiting, refunded, disputed, lost, other: one.member.accountKey };
});

describe('the database', () => {
  it.each(refusedOf([...inTheRows, ...atTheProvider]))('refuses $fault', async ({ rows, refused }) => {
    await tentatively(pool, async (client) => {
      await expect(client.query(rows(victims))).rejects.toThrow(refused);
    });
  });
});

describe('the checker, where the database does not refuse it,', () => {
  it.each(namedOf(inTheRows))('names $fault', async ({ rows, named }) => {
    const broken = await tentatively(pool, async (client) => {
      await client.query(withoutGuards);
      await client.query(rows(victims));
      return brokenInvariants(client);
    });
    expect(broken.map((finding) => finding.split(':', 1)[0])).toContain(named);
  });

  it.each(namedOf(atTheProvider))("names $fault, by the provider's books", async ({ rows, named }) => {
    const found = await tentatively(pool, async (client) => {
      await client.query(withoutGuards);
      await client.query(rows(victims));
      return cardDifferences(client, service.sandbox.controlUrl, { isSettled: true });
    });
    expect(found).toContainEqual(expect.stringMatching(named));
  });
});

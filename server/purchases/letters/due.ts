import { memberAddresses, principalsOf } from '../../identity/account.ts';
import { isClosed } from '../../identity/closed.ts';
import { writeToUs } from '../../identity/closed-letter.ts';
import { nameOf } from '../../identity/name.ts';
import { after, endOfUtcDay, utcDay } from '../../kernel/clock.ts';
import { statement } from '../../kernel/sql.ts';
import { type Happening, putOff } from '../../mail/due-letters.ts';
import type { Words } from '../../mail/letter.ts';
import type { DueLetter, LetterWriters } from '../../mail/send-letter.ts';
import type { RailName } from '../../payments/contract.ts';
import type { Runtime } from '../../runtime.ts';
import { price } from '../../service/terms.ts';
import type { JobRow } from '../job/row.ts';
import { quoteTitle } from '../quote/quote-title.ts';
import { sumsOfMonth } from '../receipt/bookkeeping.ts';
import type { JobState, PaymentState } from '../states.ts';
import { statementLetter } from './statement-letter.ts';
import { digestLetter, type PurchaseFacts, purchaseLetter, type ToldAction } from './words.ts';

/** What happened to a purchase, and the days on which that was too much to tell one by one. */
type PurchaseLetter = { kind: 'purchase' | 'digest' } & Happening;

/** The letters about purchases, by message. */
export const purchaseLetters: LetterWriters<PurchaseLetter> = { purchase: lettersOfPurchase, digest: lettersOfDay };

/** A purchase has ordinary news, which a busy account reads once a day, and news of its money. */
const ordinary: ReadonlySet<ToldAction> = new Set(['collect', 'deliver', 'review_ends', 'redeliver', 'accept']);

/** What a member can turn off. The others are about money, or a time limit of it. */
const aboutReports: ReadonlySet<ToldAction> = new Set(['deliver', 'redeliver']);

/** Seven in the morning after the day's end, UTC. */
const digestSeconds = 7 * 3_600;

/** Goes to every member of the account who wants it. */
async function lettersOfPurchase(runtime: Runtime, happening: Happening): Promise<DueLetter[]> {
  const { subject: jobKey, account_key: accountKey, number } = happening;
  const action = happening.action as ToldAction;
  const facts = await factsOf(runtime, happening);
  const { baseUrl } = runtime.configuration;
  const at = { report: `${baseUrl}/reports/${jobKey}`, receipt: `${baseUrl}/receipts/${jobKey}` };
  const written = purchaseLetter(action, facts, at);
  if (!written) return [];
  const words = await leadingSomewhere(runtime, accountKey, written);
  const day = utcDay(new Date(happening.at));
  const who = {
    wantReports: aboutReports.has(action),
    ...(ordinary.has(action) ? {} : { former: ['owner'] as const }),
  };
  return (await memberAddresses(runtime.db, accountKey, who)).map((address) => ({
    kind: ordinary.has(action) ? 'purchase' : 'important',
    address,
    about: `${action}:${jobKey}:${number}`,
    origin: null,
    words: () => words,
    heldBack: (tx) =>
      putOff(
        tx,
        { ...happening, action: 'digest', subject: accountKey, number: day.replaceAll('-', '') },
        after(endOfUtcDay(new Date(happening.at)), digestSeconds),
      ),
  }));
}

/** The words with a button that works: nobody can sign in to a closed account. */
async function leadingSomewhere({ db, configuration }: Runtime, accountKey: string, words: Words): Promise<Words> {
  return (await isClosed(db, accountKey)) ? { ...words, action: writeToUs(configuration.baseUrl) } : words;
}

interface FactsRow {
  agent: string | null;
  principal_key: string;
  quote_key: string;
  input: string | null;
  price_microcents: bigint;
  state: JobState;
  payment_state: PaymentState;
  last_rail: RailName | null;
  last_verdict: string | null;
  review_by: Date | null;
  failure: string | null;
  waived_because: JobRow['waived_because'];
  brand: string | null;
  last4: string | null;
  decided_by: string | null;
}

const factsOfJob = `
  select ${nameOf('j.principal_key')} as agent, j.principal_key, j.quote_key, q.input, j.price_microcents, j.state,
    j.payment_state, j.last_rail, j.last_verdict, j.review_by, j.failure, j.waived_because, c.brand, c.last4, (
      select ${nameOf('a.actor')} from audit_rows a
      where a.purchase_key = j.quote_key and a.sequence = $2::int) as decided_by
  from jobs j join quotes q using (quote_key)
    left join payments on payments.job_key = j.job_key and payments.state = 'collected'
    left join card_payments using (payment_key) left join saved_cards c using (card_key)
  where j.job_key = $1`;

async function factsOf({ db, configuration }: Runtime, { subject, number, at }: Happening): Promise<PurchaseFacts> {
  const row = await db.one<FactsRow>(statement(factsOfJob, [subject, number]));
  const title = quoteTitle(row.input, row.quote_key, configuration.keyring);
  return {
    agent: row.agent ?? row.principal_key,
    title,
    price: row.price_microcents,
    state: row.state,
    paymentState: row.payment_state,
    verdict: row.last_verdict,
    reviewBy: row.review_by,
    failure: row.failure,
    isReported: row.waived_because === 'payment_reported',
    card: row.brand && row.last4 ? { brand: row.brand, last4: row.last4 } : null,
    rail: row.last_rail,
    by: row.decided_by?.includes('@') ? row.decided_by : null,
    at: new Date(at),
  };
}

const countsOfDay = `
  select action, count(*)::int as count from audit_rows
  where principal_key in (${principalsOf('account_key', '$1')}) and at >= $2::date and at < $2::date + 1
    and action in ('collect', 'deliver', 'redeliver', 'accept', 'fail', 'dispute_again', 'refunded')
  group by action order by count(*) desc, action`;

/** One letter about a whole day, or a whole month. */
async function lettersOfDay(runtime: Runtime, happening: Happening): Promise<DueLetter[]> {
  if (happening.action === 'statement') return lettersOfMonth(runtime, happening);
  const { account_key: accountKey, at } = happening;
  const { db, configuration } = runtime;
  const day = utcDay(new Date(at));
  const counts = await db.many<{ action: ToldAction; count: number }>(statement(countsOfDay, [accountKey, day]));
  return (await memberAddresses(db, accountKey)).map((address) => ({
    kind: 'digest',
    address,
    about: `${accountKey}:${day}`,
    origin: null,
    words: () => digestLetter(day, counts, price, `${configuration.baseUrl}/purchases`),
  }));
}

/** The statement of a month, once it is over. It is about money, so nothing holds it back. */
async function lettersOfMonth(runtime: Runtime, { account_key: accountKey, at }: Happening): Promise<DueLetter[]> {
  const { db, configuration } = runtime;
  const month = utcDay(new Date(at)).slice(0, 'YYYY-MM'.length);
  const letter = statementLetter(month, await sumsOfMonth(db, accountKey, month), configuration.baseUrl);
  const words = await leadingSomewhere(runtime, accountKey, letter);
  return (await memberAddresses(db, accountKey, { former: ['owner'] })).map((address) => ({
    kind: 'important',
    address,
    about: `statement:${accountKey}:${month}`,
    origin: null,
    words: () => words,
  }));
}

import Stripe from 'stripe';
import { after } from '../../kernel/clock.ts';
import { errorFields, log } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { differingIn, keepDifferences } from '../differences.ts';
import type { Difference } from '../told.ts';
import { compareBalance, compareSuspense } from './balance.ts';
import { type Compared, chargesOf, disputesOf, isElsewhere, type Look, refundsOf } from './compared.ts';
import { isRefusedAs } from './provider.ts';
import { lookAtWarning } from './warnings.ts';

/**
 * Compares the provider's books with ours, both ways: every charge, refund and dispute since shortly before the last
 * comparison, and the balance. What only the provider has is first handled like an event; what still differs is kept
 * for operators and compared again until it agrees (specification 10.7).
 */

const everySeconds = 300;
/** A comparison that failed is repeated after this time. */
const againSeconds = 20;
/** Younger objects may still be on their way into our books. */
const youngSeconds = 120;
/** Overlap of comparisons: longer than any charge or refund takes. */
const overlapSeconds = 3 * 86_400;
/** How far back the first comparison goes. */
const firstSeconds = 30 * 86_400;
const pageSize = 100;

export async function compareBooks(look: Look): Promise<void> {
  const { db, clock } = look.process;
  const now = clock();
  const turn = await db.maybe<{ searched_to: Date }>(sql`
    insert into card_searches (list, searched_to, searched_at) values ('books', ${after(now, -firstSeconds)}, ${now})
    on conflict (list) do update set searched_at = excluded.searched_at
    where card_searches.searched_at <= ${after(now, -everySeconds)}
    returning searched_to`);
  if (!turn) return;
  const span = { since: after(turn.searched_to, -overlapSeconds), until: after(now, -youngSeconds) };
  await compareSpan(look, span, now).catch(async (error) => {
    const anew = after(now, againSeconds - everySeconds);
    await db.many(sql`update card_searches set searched_at = ${anew} where list = 'books'`);
    throw error;
  });
}

interface Span {
  since: Date;
  until: Date;
}

async function compareSpan(look: Look, span: Span, now: Date): Promise<void> {
  const { db } = look.process;
  await lookAtWarnings(look, span);
  const differences = [
    ...(await compareAll(look, chargesOf(look), span)),
    ...(await compareAll(look, refundsOf(look), span)),
    ...(await compareAll(look, disputesOf(look), span)),
    ...(await compareBalance(look, span.since)),
    ...(await compareSuspense(look)),
  ];
  await keepDifferences(db, 'card', differences, now);
  await db.many(sql`update card_searches set searched_to = ${span.until} where list = 'books'`);
}

async function compareAll<T extends { id: string }>(
  { process: { db } }: Look,
  compared: Compared<T>,
  span: Span,
): Promise<Difference[]> {
  const found: Difference[] = [];
  const seen = new Set<string>();
  const compare = async (id: string, theirs: T | null) => {
    seen.add(id);
    if (theirs) await attempted(compared.kind, id, () => compared.lookInto(theirs));
    else if (await isElsewhere(db, compared.kind, id)) return;
    const differs = await compared.judge(id, theirs);
    if (differs) found.push({ kind: compared.kind, object_id: id, ...differs });
  };
  for await (const theirs of compared.list({ ...createdIn(span), limit: pageSize })) await compare(theirs.id, theirs);
  const others = [...(await compared.ours(span.since, span.until)), ...(await differingIn(db, 'card', compared.kind))];
  for (const id of new Set(others)) {
    if (!seen.has(id)) await compare(id, await orNone(compared.retrieve(id)));
  }
  return found;
}

async function orNone<T>(retrieved: PromiseLike<T>): Promise<T | null> {
  try {
    return await retrieved;
  } catch (error) {
    if (isRefusedAs(error, 'resource_missing')) return null;
    throw error;
  }
}

/** Handles warnings of fraud whose announcement was lost. Passes over them where a restricted key may not read them. */
async function lookAtWarnings({ process, provider, tell }: Look, span: Span): Promise<void> {
  const { earlyFraudWarnings } = provider.stripe.radar;
  try {
    for await (const warning of earlyFraudWarnings.list({
      ...createdIn(span),
      limit: pageSize,
      expand: ['data.charge'],
    })) {
      await attempted('fraud_warning', warning.id, () => lookAtWarning(process, provider, warning, tell));
    }
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
    log('card_warnings_not_read', errorFields(error));
  }
}

function createdIn({ since, until }: Span): { created: { gte: number; lte: number } } {
  const seconds = (date: Date) => Math.floor(date.getTime() / 1_000);
  return { created: { gte: seconds(since), lte: seconds(until) } };
}

/** A failing object does not stop the others; a provider that does not answer ends the comparison. */
async function attempted(kind: string, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) throw error;
    log('card_object_not_looked_into', { kind, object_id: id, ...errorFields(error) });
  }
}

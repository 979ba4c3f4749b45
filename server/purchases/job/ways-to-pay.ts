import type { Buyer, Member } from '../../operation/caller.ts';
import { payableBy } from '../../payments/contract.ts';
import type { Rail, Rails } from '../../payments/rail.ts';
import type { Asked, Job } from '../contract.ts';
import { type JobState, waitsForPayer } from '../states.ts';
import type { LoadedJob } from './row.ts';

/** How this caller can pay for a job now. */

/** The payment methods that the caller's grant covers. Null for members: they have none, and see what rails take. */
export function coverOf(caller: Buyer | Member): readonly string[] | null {
  return caller.kind === 'member' ? null : caller.grant.payment_methods;
}

/** The rail's methods that are covered. */
export function coveredMethods({ methods }: Pick<Rail, 'methods'>, cover: readonly string[] | null): string[] {
  return methods.filter((method) => cover === null || cover.includes(method));
}

/** The rails that are set up, on, and within the caller's grant. */
function usableRails(row: LoadedJob, caller: Buyer | Member, rails: Rails): Rail[] {
  return [...rails.values()].filter(
    (rail) => rail.isSetUp && !row.off.includes(rail.name) && methodsNow(rail, row, caller).length > 0,
  );
}

/** The methods that can be asked for: one that needs a kept card only where a card is kept. */
function methodsNow(rail: Rail, { ways }: LoadedJob, caller: Buyer | Member): string[] {
  return coveredMethods(rail, coverOf(caller)).filter(
    (method) => method !== rail.kept?.method || ways?.keeps_card === true,
  );
}

const givesCredit = ({ remedies }: Rail): boolean => remedies.undelivered === 'wallet_credit';

/** What could pay for the job, whether or not the provider answers now. */
export function payableWays(row: LoadedJob, state: JobState, caller: Buyer | Member, rails: Rails): Job['payable_by'] {
  if (state !== 'awaiting_payment') return [];
  const usable = usableRails(row, caller, rails);
  return payableBy.filter((way) =>
    way === 'wallet_credit' ? usable.some(givesCredit) : !row.credit_only && usable.some(({ name }) => name === way),
  );
}

/**
 * Request bodies that pay for the job now, the likeliest first: the payment that is open, credit, a kept card, the rail
 * of the last purchase. Each has a key of its own, stable between reads until an attempt under it has failed.
 */
export function payBodies(row: LoadedJob, caller: Buyer | Member, rails: Rails, now: Date): Asked[] {
  if (row.state !== 'awaiting_payment') return [];
  const usable = usableRails(row, caller, rails);
  const ways = row.credit_only
    ? []
    : usable
        .filter((rail) => rail.seemsUp(now))
        .flatMap((rail) =>
          methodsNow(rail, row, caller).map((method) => ({ rail, method, rank: rankOf(row, rail, method) })),
        );
  const credit = row.credit_only || row.credit_covers ? usable.find(givesCredit) : undefined;
  if (credit) ways.push({ rail: credit, method: 'wallet_credit', rank: 1 });
  return ways
    .sort((one, other) => one.rank - other.rank)
    .map(({ rail: { name, methods }, method }) => ({
      rail: name,
      ...(methods.length === 1 && methods[0] === method ? {} : { method }),
      idempotency_key: keyOf(row, method),
    }));
}

function rankOf({ payment_state, open_payment, ways }: LoadedJob, rail: Rail, method: string): number {
  if (waitsForPayer(payment_state) && open_payment?.method === method) return 0;
  if (method === rail.kept?.method) return 2;
  return rail.name === ways?.last_rail ? 3 : 4;
}

function keyOf({ job_key, ways }: LoadedJob, method: string): string {
  const failed = ways?.failed?.[method] ?? 0;
  return `${method}-${job_key}${failed > 0 ? `-${failed + 1}` : ''}`;
}

/** The open payment as its buyer sees it; undefined without one. */
export function openPaymentView(row: LoadedJob, rails: Rails): Job['payment'] {
  const { open_payment: open, payment_state } = row;
  if (!open) return undefined;
  const rail = rails.get(open.rail);
  const page = waitsForPayer(payment_state) && rail?.isSetUp ? rail.hosted : null;
  return {
    payment_key: open.payment_key,
    rail: open.rail,
    method: open.method,
    ...(page ? { continuation_url: page.address(open.payment_key) } : {}),
    ...(open.expires_at ? { expires_at: open.expires_at } : {}),
  };
}

import { chargeNewcomer } from '../identity/network-limit.ts';
import { actorOf, type Caller, customerOf } from '../operation/caller.ts';
import type { Operation } from '../operation/operation.ts';
import { bytesOfAnAnswer, chargeMore, type Window } from '../operation/rate-limit.ts';
import type { Context } from '../runtime.ts';

/**
 * Counts an answer once more for each 64 KiB of it (specification 3.5), so that the largest cost their caller what they cost
 * the process. Whatever is asked and over whatever transport; pages are counted by what they read already.
 */
export async function chargeAnswer(
  { audience, limit }: Operation,
  ctx: Context,
  { caller, text }: { caller: Caller; text: string },
): Promise<void> {
  const more = Math.floor(Buffer.byteLength(text) / bytesOfAnAnswer);
  if (more === 0 || ctx.isPage) return;
  const customer = customerOf(caller);
  const subject = audience.includes('public') ? ctx.origin : customer && actorOf(customer);
  const name: Window['name'] | undefined = audience.includes('public') ? limit : 'requests';
  if (subject === null || name === undefined) return;
  const { db, clock } = ctx.runtime;
  // It is made already: without a database it costs what it was counted for.
  await chargeMore(db.shared, { subject, name }, more, clock()).catch(() => {});
  if (customer && name === 'requests') await chargeNewcomer(ctx, customer.accountKey, more).catch(() => {});
}

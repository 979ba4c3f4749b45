import type { Verb } from '../../operation/verb.ts';
import { linkRail } from '../../payments/contract.ts';
import { loadJob } from '../job/load.ts';
import { notAllowed } from '../job/row.ts';
import type * as contract from '../link-contract.ts';
import { payForJob } from './pay.ts';
import { buyerOfLink, linkOf, paymentView, withoutDetails } from './payment-page.ts';

/**
 * Pays for a payment link from a wallet, as its agent would: within the grant, and once over all rails. Whoever has the
 * link may pay, and learns nothing of the job.
 */
export const payByLink: Verb<typeof contract.payByLink> = async ({ ctx, caller, input, db, steps }) => {
  const { attempt } = await linkOf(db, ctx.runtime.rails, input.payment_key);
  const buyer = await buyerOfLink(db, attempt, ctx.now);
  const job = await loadJob(db, attempt.job_key, buyer);
  // Don't start a payment over an ended link. Do look up one that began over it.
  const mayBegin = attempt.state !== 'failed' && ctx.now < attempt.expires_at;
  if (!mayBegin && (job.payment_state === 'none' || job.payment_state === 'requires_payer')) {
    throw notAllowed('This payment link is no longer valid.');
  }
  const request = { job_key: job.job_key, rail: linkRail };
  const paying = payForJob({ ctx, caller: buyer, input: request, db, steps }, job);
  const { headers = {} } = await withoutDetails(paying);
  return { body: await paymentView({ ...ctx, now: ctx.runtime.clock() }, caller, input.payment_key, db), headers };
};

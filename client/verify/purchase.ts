import { evidenceManifest, inputDigest, plannedChecks, reportDigest } from '../../server/work-check/contract.ts';
import type { Bundle } from './bundle.ts';
import { BrokenLink, type Link } from './links.ts';

function require(holds: boolean, link: Link, because: string): asserts holds {
  if (!holds) throw new BrokenLink(link, because);
}

const same = (a: unknown, b: unknown): boolean => reportDigest({ is: a }) === reportDigest({ is: b });

/** What all receipts of a job say alike. */
const constant = ['job_key', 'quote_digest', 'grant_digest', 'input_digest', 'terms_version'] as const;

/** Each receipt names the one before it, from the first on, and says of the same purchase. */
export function checkReceipts({ receipts }: Bundle): void {
  let before: Bundle['receipts'][number] | undefined;
  for (const [at, receipt] of receipts.entries()) {
    const n = at + 1;
    require(receipt.sequence ===
      n, 'receipts', `Receipt ${n} of the chain says that it is number ${receipt.sequence}.`);
    const digest = before === undefined ? null : payloadDigest(before);
    require(receipt.previous_receipt_digest === digest, 'receipts', `Receipt ${n} names another receipt before it.`);
    if (before !== undefined) {
      const earlier = before;
      const other = constant.find((name) => receipt[name] !== earlier[name]);
      require(other === undefined, 'receipts', `Receipt ${n} has another ${other} than the one before it.`);
      require(receipt.issued_at >= earlier.issued_at, 'receipts', `Receipt ${n} is older than the one before it.`);
    }
    before = receipt;
  }
}

function payloadDigest({ signature: _, ...stated }: Bundle['receipts'][number]): string {
  return reportDigest(stated);
}

/** The offer is the one that the receipts name, and what was collected is its price. */
export function checkOffer({ offer, receipts }: Bundle): void {
  const last = receipts.at(-1) as Bundle['receipts'][number];
  require(offerDigest(offer) === last.quote_digest, 'offer', 'The receipts name another offer.');
  require(offer.terms_version === last.terms_version, 'offer', 'The receipts name other terms than the offer.');
  require(offer.job_key === null || offer.job_key === last.job_key, 'offer', 'The offer became another job.');
  const price = offer.price.amount_microcents;
  require(price <= offer.max_price_microcents, 'offer', 'The price is above the most that the buyer would pay.');
  for (const { sequence, collection, charge } of receipts) {
    require(collection.amount_microcents === price, 'offer', `Receipt ${sequence} says of another sum than the price.`);
    require(charge.amount_microcents <= price, 'offer', `Receipt ${sequence} charges more than the price.`);
  }
}

/** Over what the offer froze, as receipts name it. */
export function offerDigest(offer: Bundle['offer']): string {
  return reportDigest({
    quote_key: offer.quote_key,
    service_key: offer.service_key,
    contract_version: offer.contract_version,
    terms_version: offer.terms_version,
    created_at: offer.created_at,
    expires_at: offer.expires_at,
    max_price_microcents: offer.max_price_microcents,
    price_microcents: offer.price.amount_microcents,
    grant_digest: offer.grant_digest,
    input_digest: offer.input_digest,
    evidence: offer.evidence,
    planned_checks: offer.planned_checks,
  });
}

/**
 * The buyer was allowed to buy: the offer and the receipts name a decision of its customer each, made before, and that
 * of the receipts covers what was collected.
 */
export function checkGrant({ offer, receipts, grant_decisions: decisions }: Bundle): void {
  const [first] = receipts as [Bundle['receipts'][number]];
  const named = new Set([offer.grant_digest, first.grant_digest]);
  const byDigest = new Map(decisions.map((decision) => [reportDigest(decision), decision]));
  require(same(
    [...named].toSorted(),
    [...byDigest.keys()].toSorted(),
  ), 'grant', 'Other decisions on the grant are named.');
  const [asked, paid] = [byDigest.get(offer.grant_digest), byDigest.get(first.grant_digest)];
  if (!asked || !paid) return;
  require(asked.principal_key === paid.principal_key, 'grant', 'The decisions are on two buyers.');
  require(asked.decided_at < offer.expires_at, 'grant', 'The offer was made under a decision that came after it.');
  require(paid.decided_at <= first.issued_at, 'grant', 'The decision came after the payment.');
  require(paid.service_keys.includes(offer.service_key), 'grant', 'The grant does not cover the service.');
  const { rail, method, amount_microcents: sum } = first.collection;
  const covered = paid.payment_methods.includes(rail === 'card' ? method : rail);
  require(covered, 'grant', 'The grant does not cover how it was paid.');
  // A person may have let this one pass.
  require(paid.may_ask_above_limits ||
    sum <= paid.per_job_limit_microcents, 'grant', 'The sum is above the limit for one job.');
}

/** The request is the one that the offer and the receipts name. */
export function checkInput({ offer, request, receipts }: Bundle): void {
  const digest = inputDigest(request);
  require(digest === offer.input_digest, 'input', 'The offer was made for another request.');
  require(digest === receipts[0]?.input_digest, 'input', 'The receipts name another request.');
  require(same(evidenceManifest(request), offer.evidence), 'input', 'The offer lists other evidence than was sent.');
  require(same(plannedChecks(request), offer.planned_checks), 'input', 'The offer planned other checks.');
}

/** The reports are those that the receipts name, none more and none fewer, and a correction names the one it corrects. */
export function checkReports({ reports, receipts, offer }: Bundle): void {
  const named = [...new Set(receipts.flatMap(({ report_digest }) => report_digest ?? []))];
  const digests = reports.map((report) => reportDigest(report));
  require(same(named, digests), 'reports', 'The receipts name other reports, or in another order.');
  for (const [at, report] of reports.entries()) {
    const correction = report.correction as { previous_report_digest?: unknown } | undefined;
    const previous = at === 0 ? undefined : digests[at - 1];
    require(correction?.previous_report_digest === previous, 'reports', `Report ${at + 1} corrects another report.`);
    require(report.service_key === undefined ||
      report.service_key === offer.service_key, 'reports', `Report ${at + 1} is of another service.`);
  }
}

import { type PublishedKeys, verifyReceipt } from '../verify-receipt.ts';
import { Bundle } from './bundle.ts';
import { BrokenLink, type Link } from './links.ts';
import { checkGrant, checkInput, checkOffer, checkReceipts, checkReports } from './purchase.ts';
import { reportAbout, reportLinks } from './report.ts';

/** What holds, what could not be run again here, and the first link that does not hold. */
export interface Verification {
  holds: Link[];
  broken: { link: Link; because: string } | null;
  /** What no copy of this program can run again, such as what a language model read. */
  not_run: string[];
}

/**
 * Checks a purchase from its offer to its last receipt, offline: walks the chain, runs every deterministic check and
 * every proof again by the code that the service runs, and names the first link that does not hold. The seller's keys
 * come from the caller, never from the bundle.
 */
export async function verifyBundle(given: unknown, keys: PublishedKeys): Promise<Verification> {
  const found: Verification = { holds: [], broken: null, not_run: [] };
  try {
    for await (const link of walk(given, keys, found.not_run)) found.holds.push(link);
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error;
    found.broken = { link: error.link, because: error.message };
  }
  return found;
}

async function* walk(given: unknown, keys: PublishedKeys, notRun: string[]): AsyncGenerator<Link> {
  const parsed = Bundle.safeParse(given);
  if (!parsed.success) throw new BrokenLink('bundle', firstIssue(parsed.error));
  // As given: parsing may drop what a digest covers.
  const bundle = { ...(given as Bundle), retrieved: parsed.data.retrieved };
  yield 'bundle';
  for (const receipt of bundle.receipts) {
    const { keyRevokedAt } = await verified(receipt, keys);
    if (keyRevokedAt !== null)
      notRun.push(
        `The key of receipt ${receipt.sequence} was revoked later, at ${keyRevokedAt}: compare an older copy.`,
      );
  }
  yield 'signatures';
  checkReceipts(bundle);
  yield 'receipts';
  checkOffer(bundle);
  yield 'offer';
  checkGrant(bundle);
  yield 'grant';
  checkInput(bundle);
  yield 'input';
  checkReports(bundle);
  const all = bundle.reports.map((report) => reportAbout(report, bundle, notRun));
  yield 'reports';
  for (const [link, check] of reportLinks) {
    for (const about of all) await check(about);
    if (all.length > 0) yield link;
  }
}

async function verified(receipt: Bundle['receipts'][number], keys: PublishedKeys) {
  try {
    return await verifyReceipt(receipt, keys);
  } catch (error) {
    throw new BrokenLink('signatures', `Receipt ${receipt.sequence}: ${(error as Error).message}`);
  }
}

function firstIssue({ issues }: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = issues;
  return `${issue?.path.map(String).join('/')}: ${issue?.message}`;
}

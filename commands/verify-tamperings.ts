// Longer than 300 lines: one list, what may be done to a purchase.
import type { Bundle } from '../client/verify/bundle.ts';
import type { Link } from '../client/verify/links.ts';
import { offerDigest } from '../client/verify/purchase.ts';
import { inputDigest, type Report, reportDigest } from '../server/work-check/contract.ts';

type Receipt = Bundle['receipts'][number];
/** Signs a receipt anew. */
export type Signer = (receipt: Omit<Receipt, 'signature'>, key?: 'seller' | 'stranger') => Receipt;

interface Tampering {
  name: string;
  of: 'prose' | 'table';
  broken: Link;
  change: (bundle: Bundle, sign: Signer) => void;
}

const decisionOf = ({ grant_decisions }: Bundle) => grant_decisions[0] as Bundle['grant_decisions'][number];

/** What a seller who holds the key can do: the whole chain again, over what now is said. */
function signAnew(bundle: Bundle, sign: Signer): void {
  const [first, second] = bundle.reports.map((report) => reportDigest(report));
  let before: Receipt | undefined;
  bundle.receipts = bundle.receipts.map((receipt, at) => {
    const { signature: _, ...stated } = before ?? { signature: null };
    before = sign({
      ...receipt,
      previous_receipt_digest: before ? reportDigest(stated) : null,
      quote_digest: offerDigest(bundle.offer),
      grant_digest: reportDigest(decisionOf(bundle)),
      input_digest: bundle.offer.input_digest,
      report_digest: (at === 0 ? null : at < 3 ? first : second) ?? null,
    });
    return before;
  });
}

const reportOf = ({ reports }: Bundle, at: number): Report => reports[at] as Report;
const last = (bundle: Bundle): Receipt => bundle.receipts.at(-1) as Receipt;

/** Changes the decision on the grant, and has the seller sign all of it. */
const inGrant =
  (change: (decision: Bundle['grant_decisions'][number]) => void): Tampering['change'] =>
  (bundle, sign) => {
    change(decisionOf(bundle));
    bundle.offer.grant_digest = reportDigest(decisionOf(bundle));
    signAnew(bundle, sign);
  };

/** Changes the corrected report, and has the seller sign all of it. */
const inReport =
  (change: (report: Report) => void): Tampering['change'] =>
  (bundle, sign) => {
    change(reportOf(bundle, 1));
    signAnew(bundle, sign);
  };

const firstProof = (report: Report) => {
  const proof = report.statements.find((one) => one.proof?.is === 'value')?.proof;
  if (proof?.is !== 'value') throw new Error('The vector has no proof of a value.');
  return proof.known[0] as { ref: string; start: number; end: number };
};

/** What is done to a purchase, by others and by a seller who signs anew, and the link that breaks. */
export const tamperings: readonly Tampering[] = [
  {
    name: 'a member of the bundle is missing',
    of: 'table',
    broken: 'bundle',
    change: (b) => delete (b as Partial<Bundle>).request,
  },
  {
    name: 'the sum of a receipt is changed',
    of: 'prose',
    broken: 'signatures',
    change: (b) => {
      last(b).charge.amount_microcents = 0;
    },
  },
  {
    name: 'a stranger signs under the name of the key',
    of: 'prose',
    broken: 'signatures',
    change: (b, sign) => {
      b.receipts[4] = sign(last(b), 'stranger');
    },
  },
  {
    name: 'a receipt was made before its key was valid',
    of: 'prose',
    broken: 'signatures',
    change: (b, sign) => {
      b.receipts[4] = sign({ ...last(b), issued_at: '2026-05-01T00:00:00.000Z' });
    },
  },
  {
    name: 'a receipt is left out',
    of: 'prose',
    broken: 'receipts',
    change: (b) => {
      b.receipts.splice(2, 1);
    },
  },
  {
    name: 'two receipts change places',
    of: 'prose',
    broken: 'receipts',
    change: (b) => {
      b.receipts.splice(1, 2, b.receipts[2] as Receipt, b.receipts[1] as Receipt);
    },
  },
  {
    name: 'a receipt of another job stands in the chain',
    of: 'prose',
    broken: 'receipts',
    change: (b, sign) => {
      b.receipts[4] = sign({ ...last(b), job_key: 'job_other' });
    },
  },
  {
    name: 'a receipt names another before it',
    of: 'prose',
    broken: 'receipts',
    change: (b, sign) => {
      b.receipts[4] = sign({ ...last(b), previous_receipt_digest: `sha256:${'0'.repeat(64)}` });
    },
  },
  {
    name: 'the price of the offer is raised',
    of: 'prose',
    broken: 'offer',
    change: (b) => {
      b.offer.price.amount_microcents += 1;
    },
  },
  {
    name: 'more is collected than the price',
    of: 'prose',
    broken: 'offer',
    change: (b, sign) => {
      for (const r of b.receipts) r.collection.amount_microcents += 1;
      signAnew(b, sign);
    },
  },
  {
    name: 'the limit of the grant is raised afterwards',
    of: 'prose',
    broken: 'grant',
    change: (b) => {
      decisionOf(b).daily_limit_microcents *= 2;
    },
  },
  {
    name: 'the grant covers another way to pay',
    of: 'prose',
    broken: 'grant',
    change: inGrant((decision) => {
      decision.payment_methods = ['card_checkout'];
    }),
  },
  {
    name: 'the grant was given after the payment',
    of: 'table',
    broken: 'grant',
    change: inGrant((decision) => {
      decision.decided_at = '2026-05-13T08:20:00.000Z';
    }),
  },
  {
    name: 'the price is above the limit for one job',
    of: 'prose',
    broken: 'grant',
    change: inGrant((decision) => {
      decision.per_job_limit_microcents = 1;
    }),
  },
  {
    name: 'the offer promises checks that the request did not ask for',
    of: 'prose',
    broken: 'input',
    change: (b, sign) => {
      const c = b.offer.planned_checks.find(({ will_run }) => !will_run);
      if (c) c.will_run = true;
      signAnew(b, sign);
    },
  },
  {
    name: 'the work is changed',
    of: 'table',
    broken: 'input',
    change: (b) => {
      b.request.work_product = 'Another work.';
    },
  },
  {
    name: 'a text of the evidence is changed',
    of: 'prose',
    broken: 'input',
    change: (b) => {
      (b.request.evidence[1] as { text: string }).text += ' ';
    },
  },
  {
    name: 'the report is changed',
    of: 'prose',
    broken: 'reports',
    change: (b) => {
      reportOf(b, 1).verdict = 'supported';
    },
  },
  {
    name: 'the disputed report is left out',
    of: 'prose',
    broken: 'reports',
    change: (b) => {
      b.reports.shift();
    },
  },
  {
    name: 'a correction names another report',
    of: 'prose',
    broken: 'reports',
    change: inReport((r) => {
      if (r.correction) r.correction.previous_report_digest = `sha256:${'1'.repeat(64)}`;
    }),
  },
  {
    name: 'the report was made of other evidence',
    of: 'prose',
    broken: 'sources',
    change: inReport((r) => {
      (r.sources.supplied[0] as { digest: string }).digest = `sha256:${'2'.repeat(64)}`;
    }),
  },
  {
    name: 'a citation leads past the end of its source',
    of: 'prose',
    broken: 'citations',
    change: inReport((r) => {
      const c = r.findings.find(({ citations }) => citations)?.citations?.[0];
      if (c) c.end += 100_000;
    }),
  },
  {
    name: 'a failed check is called passed',
    of: 'table',
    broken: 'checks',
    change: (b, sign) => {
      (b.request as { expected_schema: object }).expected_schema = { type: 'array' };
      b.offer.input_digest = inputDigest(b.request);
      signAnew(b, sign);
    },
  },
  {
    name: 'a skipped check is called passed',
    of: 'prose',
    broken: 'checks',
    change: inReport((r) => {
      const c = r.verification.checks.find(({ status }) => status === 'skipped');
      if (c) c.status = 'passed';
    }),
  },
  {
    name: 'a proof names another cell',
    of: 'table',
    broken: 'proofs',
    change: inReport((r) => {
      const p = firstProof(r);
      p.start += 40;
      p.end += 40;
    }),
  },
  {
    name: 'a statement is called supported without a proof',
    of: 'prose',
    broken: 'proofs',
    change: inReport((r) => {
      const s = r.statements[0];
      if (s) s.status = 'supported';
    }),
  },
  {
    name: 'a statement is moved',
    of: 'prose',
    broken: 'proofs',
    change: inReport((r) => {
      const s = r.statements[0];
      if (s?.end) s.end -= 1;
    }),
  },
  {
    name: 'a statement is left out',
    of: 'table',
    broken: 'proofs',
    change: inReport((r) => {
      r.statements.pop();
    }),
  },
  {
    name: 'the verdict is better than what was found',
    of: 'prose',
    broken: 'verdict',
    change: inReport((r) => {
      r.verdict = 'supported';
      r.model_verdict = 'supported';
    }),
  },
  {
    name: 'a section of the report is left out',
    of: 'prose',
    broken: 'form',
    change: inReport((r) => {
      r.report.body = r.report.body.replace('\n## ', '\n### ');
    }),
  },
  {
    name: 'a check is listed twice',
    of: 'table',
    broken: 'form',
    change: inReport((r) => {
      r.checks.performed.push('evidence_integrity');
    }),
  },
];

/**
 * Writes `client/vectors.json`: two good purchases, and what somebody may do to them, each with the link that breaks.
 * Others run them with a verifier of their own. The keys are made for this, sign nothing else and are forgotten.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Bundle } from '../client/verify/bundle.ts';
import { offerDigest } from '../client/verify/purchase.ts';
import { requestedGrant } from '../server/identity/registration.ts';
import { canonicalJson } from '../server/kernel/json-value.ts';
import { service } from '../server/service/terms.ts';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import {
  type CheckRequest,
  evidenceManifest,
  inputDigest,
  plannedChecks,
  type Report,
  reportDigest,
} from '../server/work-check/contract.ts';
import { forecastOf } from '../server/work-check/forecast.ts';
import { exampleRequest } from '../server/work-check/sample.ts';
import { type Signer, tamperings } from './verify-tamperings.ts';

const seller = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const kid = 'receipt-vectors';
const price = 500_000_000;

const table: CheckRequest = {
  work_kind: 'data_extraction',
  request: 'List the order lines with their totals.',
  work_product: {
    lines: [
      { item: 'Wrench A', quantity: 12, unit_price: '41.50', total: '498.00' },
      { item: 'Wrench B', quantity: 3, unit_price: '20.00', total: '60.00' },
    ],
  },
  evidence: [
    {
      source: 'Bestätigung 4471',
      text: 'Größen wie besprochen.\n\n| Item | Quantity | Unit price | Total |\n|---|---|---|---|\n| Wrench A | 12 | 41.50 | 498.00 |\n| Wrench B | 3 | 20.00 | 60.00 |',
      observed_at: '2026-05-12T09:14:00Z',
    },
  ],
  criteria: ['Lists every order line'],
  expected_schema: { type: 'object', required: ['lines'] },
  max_evidence_age_seconds: 864_000,
};

type Receipt = Bundle['receipts'][number];

const signed: Signer = (receipt, key = 'seller') => {
  const text = (value: string) => Buffer.from(value).toString('base64url');
  const { signature: _, ...stated } = receipt as Receipt;
  const input = `${text(JSON.stringify({ alg: 'EdDSA', kid }))}.${text(canonicalJson(stated))}`;
  const { privateKey } = key === 'seller' ? seller : stranger;
  const jws = `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
  return { ...stated, signature: { kid, alg: 'EdDSA', jws } };
};

const at = (minute: number) => new Date(Date.UTC(2026, 4, 13, 8, minute)).toISOString();

async function purchase(request: CheckRequest): Promise<Bundle> {
  const options = { assessor: embeddedAssessor, now: new Date(at(2)), serviceKey: service.serviceKey };
  const first = await checkWork(request, options);
  const second = await checkWork(request, {
    ...options,
    now: new Date(at(6)),
    previous: { report: first, reason: 'criteria_not_evaluated' },
  });
  const decision = {
    grant_key: 'grant_vector',
    principal_key: 'agent_vector',
    decided_at: at(-60),
    ...requestedGrant({}),
  };
  const offer = offerOf(request, reportDigest(decision));
  return {
    bundle_version: '1',
    offer,
    grant_decisions: [decision],
    request,
    retrieved: [],
    reports: [first, second],
    receipts: chain(offer, [first, second]),
  };
}

function offerOf(request: CheckRequest, grantDigest: string): Bundle['offer'] {
  return {
    quote_key: 'quote_vector',
    state: 'authorized',
    service_key: service.serviceKey,
    contract_version: service.contractVersion,
    terms_version: service.termsVersion,
    created_at: at(0),
    expires_at: at(15),
    price: { amount_microcents: price, currency: 'USD', price_type: 'fixed', pricing_status: 'approved' },
    max_price_microcents: price,
    grant_digest: grantDigest,
    input_digest: inputDigest(request),
    evidence: evidenceManifest(request),
    planned_checks: plannedChecks(request),
    forecast: forecastOf(request, 'rules, and no language model'),
    rails: [],
    refund_policy: 'As in the contract.',
    next_step: 'It was authorized.',
    next_actions: [],
    approval: null,
    job_key: 'job_vector',
  };
}

function chain(offer: Bundle['offer'], [first, second]: [Report, Report]): Receipt[] {
  const steps = [
    { minute: 1, charge: 'held', report: null },
    { minute: 2, charge: 'held', report: first },
    { minute: 4, charge: 'held', report: first },
    { minute: 6, charge: 'held', report: second },
    { minute: 8, charge: 'final', report: second },
  ] as const;
  const receipts: Receipt[] = [];
  for (const [index, { minute, charge, report }] of steps.entries()) {
    receipts.push(signed(receiptOf(offer, { index, minute, charge, report, before: receipts.at(-1) })));
  }
  return receipts;
}

function receiptOf(
  offer: Bundle['offer'],
  step: { index: number; minute: number; charge: 'held' | 'final'; report: Report | null; before: Receipt | undefined },
): Omit<Receipt, 'signature'> {
  const { signature: _, ...before } = step.before ?? { signature: null };
  return {
    receipt_version: service.receiptVersion,
    receipt_key: `rcpt_vector_${step.index + 1}`,
    job_key: 'job_vector',
    issued_at: at(step.minute),
    sequence: step.index + 1,
    previous_receipt_digest: step.before ? reportDigest(before) : null,
    quote_digest: offerDigest(offer),
    grant_digest: offer.grant_digest,
    input_digest: offer.input_digest,
    report_digest: step.report && reportDigest(step.report),
    collection: {
      state: 'collected',
      rail: 'x402',
      method: 'eip155:84532',
      amount_microcents: price,
      currency: 'USD',
      collected_at: at(1),
      reference: `0x${'ab'.repeat(32)}`,
    },
    charge: {
      state: step.charge,
      amount_microcents: price,
      finalized_at: step.charge === 'final' ? at(step.minute) : null,
      basis: step.charge === 'final' ? 'The report was accepted by the buyer.' : 'Collected and held.',
    },
    remedy: { kind: 'none', state: 'none', amount_microcents: 0, reason: null, at: null },
    business_authority: 'advisory_only',
    receipt_certifies_work: false,
    terms_version: offer.terms_version,
  };
}

/** The members that differ, as JSON Patch (RFC 6902). */
function patchOf(before: unknown, after: unknown, pointer = ''): object[] {
  if (isDeepStrictEqual(before, after)) return [];
  const isOpen = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!isOpen(before) || !isOpen(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ op: 'replace', path: pointer, value: after }];
  if (Array.isArray(before) && before.length !== (after as unknown as unknown[]).length)
    return [{ op: 'replace', path: pointer, value: after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const path = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!(name in after)) return [{ op: 'remove', path }];
    return name in before ? patchOf(before[name], after[name], path) : [{ op: 'add', path, value: after[name] }];
  });
}

const good = { prose: await purchase(exampleRequest), table: await purchase(table) };
const jwk = seller.publicKey.export({ format: 'jwk' });
const keys = [{ ...jwk, kid, use: 'sig', alg: 'EdDSA', valid_from: at(0), valid_to: null }];
const vectors = tamperings.map(({ name, of, broken, change }) => {
  const bundle = structuredClone(good[of]);
  change(bundle, signed);
  return { name, of, broken, patch: patchOf(good[of], bundle) };
});
const file = new URL('../client/vectors.json', import.meta.url);
// Through JSON, as a buyer holds it.
writeFileSync(file, `${JSON.stringify({ keys: { keys }, good, tampered: vectors }, null, 1)}\n`);
process.stdout.write(`${vectors.length} vectors\n`);

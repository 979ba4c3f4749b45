// Longer than 300 lines: one contract, a check request and its report.
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { z } from 'zod';
import { canonicalJson, type JsonValue, jsonBytes } from '../kernel/json-value.ts';
import { service } from '../service/terms.ts';
import { addIssue, checkBytes, type IssueContext, json, text } from './input-fields.ts';

/** Bounds of a check request (service contract, section 8). Sizes are bytes: UTF-8 of a string, RFC 8785 otherwise. */
export const bounds = {
  total_input_bytes: 262_144,
  work_product_bytes: 65_536,
  evidence_items: 20,
  evidence_item_bytes: 32_768,
  source_bytes: 1_024,
  request_bytes: 16_384,
  criteria: 20,
  criterion_bytes: 1_024,
  expected_schema_bytes: 16_384,
  context_refs: 10,
  context_ref_bytes: 1_024,
  label_bytes: 1_024,
  correction_bytes: 16_384,
  rubric_bytes: 65_536,
  findings: 40,
  /** Statements of the work that a report lists; more are named in its limitations. */
  statements: 500,
  /** Characters of submitted text that one sentence of a report may quote. */
  quote_characters: 200,
  /** Criteria and rubric entries together: the findings left over answer the request, stray claims and instructions. */
  assessed_entries: 37,
} as const;

export const workKinds = [
  'answer',
  'report',
  'summary',
  'data_extraction',
  'recommendation',
  'classification',
  'other_text',
] as const;
export type WorkKind = (typeof workKinds)[number];

export const unsupportedWorkKinds = [
  'code_execution',
  'action_verification',
  'external_side_effects',
  'certification',
  'legal_opinion',
  'medical_opinion',
  'financial_advice',
] as const;

const workKind = z
  .string()
  .superRefine((value, ctx) => {
    if (!(workKinds as readonly string[]).includes(value))
      addIssue(ctx, 'unsupported_work_kind', `Supported kinds are ${workKinds.join(', ')}.`);
  })
  .meta({ enum: [...workKinds] }) as unknown as z.ZodType<WorkKind>;

const evidenceItem = z.union([
  text(bounds.evidence_item_bytes, 'allowed'),
  z.strictObject({
    source: text(bounds.source_bytes, 'allowed'),
    text: text(bounds.evidence_item_bytes, 'allowed'),
    observed_at: z.iso.datetime({ offset: true }).optional(),
  }),
]);

type JsonObject = { [key: string]: JsonValue };

/** The fields of a check request, for contracts that add their own beside them. */
export const checkRequestFields = {
  work_product: json<string | JsonObject | JsonValue[]>(
    ['string', 'object', 'array'],
    bounds.work_product_bytes,
    'The work to check: text, or JSON as the agent produced it.',
  ),
  evidence: z.array(evidenceItem).min(1).max(bounds.evidence_items),
  request: json<string | JsonObject>(['string', 'object'], bounds.request_bytes, 'What was asked for.').optional(),
  criteria: z
    .array(json<string | JsonObject>(['string', 'object'], bounds.criterion_bytes, 'One criterion.'))
    .max(bounds.criteria)
    .optional(),
  rubric: json<string | JsonObject | JsonValue[]>(
    ['string', 'object', 'array'],
    bounds.rubric_bytes,
    'Entries are assessed like criteria.',
  ).optional(),
  work_kind: workKind.optional(),
  kind: text(bounds.label_bytes, 'refused').optional(),
  context: z
    .strictObject({ refs: z.array(text(bounds.context_ref_bytes, 'refused')).max(bounds.context_refs).optional() })
    .optional(),
  correction_request: json<JsonObject>(
    ['object'],
    bounds.correction_bytes,
    'What a re-check should look at.',
  ).optional(),
  downstream_policy: z.strictObject({ human_approval_required: z.boolean().optional() }).optional(),
  expected_schema: json<JsonObject>(['object'], bounds.expected_schema_bytes, 'A JSON Schema of the work.').optional(),
  max_evidence_age_seconds: z.int().min(1).optional(),
  producer: z
    .strictObject({
      agent_key: text(bounds.label_bytes, 'refused').optional(),
      wallet: text(bounds.label_bytes, 'refused').optional(),
      name: text(bounds.label_bytes, 'refused').optional(),
    })
    .optional(),
};

/** Bounds that look at several fields: the total input size, and the findings that criteria and rubric will need. */
function checkWholeRequest(value: { [K in keyof typeof checkRequestFields]?: unknown }, ctx: IssueContext): void {
  // A value that its own field refused must not be walked again.
  if (ctx.issues.length > 0) return;
  const own = Object.entries(value).filter(([key, field]) => key in checkRequestFields && field !== undefined);
  const actual = jsonBytes(Object.fromEntries(own) as { [key: string]: JsonValue });
  checkBytes(ctx, actual, bounds.total_input_bytes);
  const entries = assessedEntries(value as Pick<CheckRequest, 'criteria' | 'rubric'>).length;
  if (entries > bounds.assessed_entries)
    addIssue(ctx, 'too_many', `Criteria and rubric hold ${entries} entries; at most ${bounds.assessed_entries} fit.`, {
      limit: bounds.assessed_entries,
      actual: entries,
      path: ['rubric'],
    });
}

/** A check request (service contract, section 2.4). Unknown fields are refused. Extend it with `safeExtend`. */
export const CheckRequest = z.strictObject(checkRequestFields).superRefine(checkWholeRequest);
export type CheckRequest = z.infer<typeof CheckRequest>;

export type AssessedEntry = { label: string; from: 'criteria' | 'rubric' };

/** Criteria, then rubric entries, each as the text that its finding will carry. */
export function assessedEntries(request: Pick<CheckRequest, 'criteria' | 'rubric'>): AssessedEntry[] {
  const entries: AssessedEntry[] = [];
  for (const criterion of request.criteria ?? []) entries.push({ label: entryLabel(criterion), from: 'criteria' });
  const rubric = request.rubric;
  if (rubric === undefined) return entries;
  if (typeof rubric === 'string') {
    const lines = rubric.split('\n').filter((line) => line.trim() !== '');
    const listed = lines.filter((line) => /^\s*(?:[-*•]|\d+[.)])\s+/.test(line));
    const labels = listed.length > 1 ? listed.map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')) : [rubric];
    for (const label of labels) entries.push({ label: label.trim(), from: 'rubric' });
  } else if (Array.isArray(rubric)) {
    for (const item of rubric) entries.push({ label: entryLabel(item), from: 'rubric' });
  } else {
    for (const [key, item] of Object.entries(rubric))
      entries.push({ label: `${key}: ${entryLabel(item)}`, from: 'rubric' });
  }
  return entries;
}

const LABEL_KEYS = ['criterion', 'text', 'description', 'requirement', 'question', 'name', 'title'] as const;

/** The words of a criterion given as an object: its usual field, else the object in RFC 8785 form. */
function entryLabel(entry: JsonValue): string {
  if (typeof entry === 'string') return entry.trim();
  if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) {
    for (const key of LABEL_KEYS) {
      const value = entry[key];
      if (typeof value === 'string' && value.trim() !== '') return value.trim();
    }
  }
  return canonicalJson(entry);
}

export const deterministicChecks = [
  'evidence_integrity',
  'evidence_freshness',
  'work_product_schema',
  'rubric_coverage',
  'citation_integrity',
  'source_corroboration',
] as const;
export type DeterministicCheck = (typeof deterministicChecks)[number];

export type PlannedCheck = { check: DeterministicCheck; will_run: boolean; skip_reason?: string };

/** Which deterministic checks a request switches on, with the reason for each that will be skipped. */
export function plannedChecks(request: CheckRequest): PlannedCheck[] {
  const skipped: Partial<Record<DeterministicCheck, string>> = {};
  if (request.max_evidence_age_seconds === undefined) skipped.evidence_freshness = 'no max_evidence_age_seconds';
  if (request.expected_schema === undefined) skipped.work_product_schema = 'no expected_schema';
  if ((request.context?.refs ?? []).length === 0)
    skipped.source_corroboration = 'no governed context refs were supplied';
  return deterministicChecks.map((check) => {
    const reason = skipped[check];
    return reason === undefined ? { check, will_run: true } : { check, will_run: false, skip_reason: reason };
  });
}

/** `sha256:<hex>` over the UTF-8 bytes of a text. */
function textDigest(content: string): string {
  return bytesDigest(encoder.encode(content));
}

const encoder = new TextEncoder();

function bytesDigest(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

export type EvidenceEntry = { ref: string; source: string; digest: string; bytes: number; observed_at: string | null };

export type TextMeasures = Pick<EvidenceEntry, 'digest' | 'bytes'>;

function measuresOf(content: string): TextMeasures {
  const bytes = encoder.encode(content);
  return { digest: bytesDigest(bytes), bytes: bytes.length };
}

/**
 * The evidence of a request without its content: reference, source, digest of the text, size in bytes. `measure` may be
 * a faster way to the same digest and size than the one that browsers have, too.
 */
export function evidenceManifest(
  request: Pick<CheckRequest, 'evidence'>,
  measure: (content: string) => TextMeasures = measuresOf,
): EvidenceEntry[] {
  return request.evidence.map((item, index) => {
    const ref = `evidence/${index}`;
    const { source, text, observed_at } =
      typeof item === 'string' ? { source: ref, text: item, observed_at: undefined } : item;
    const { digest, bytes } = measure(text);
    return { ref, source, digest, bytes, observed_at: observed_at ?? null };
  });
}

/** The texts of a request's evidence, in its order. */
export function evidenceTexts(request: Pick<CheckRequest, 'evidence'>): string[] {
  return request.evidence.map((item) => (typeof item === 'string' ? item : item.text));
}

/** Digest of a request in RFC 8785 form, each evidence item as `{source, observed_at, digest}` (interface, section 5). */
export function inputDigest(request: CheckRequest): string {
  const evidence = evidenceManifest(request).map(({ source, observed_at, digest }) => ({
    source,
    observed_at,
    digest,
  }));
  const own = Object.entries(request).filter(([key, value]) => key in checkRequestFields && value !== undefined);
  return textDigest(canonicalJson({ ...Object.fromEntries(own), evidence }));
}

/** Digest of a report as delivered, in RFC 8785 form. */
export function reportDigest(report: object): string {
  return textDigest(canonicalJson(report));
}

const verdicts = ['supported', 'insufficient_evidence', 'revise', 'escalate'] as const;
export const Verdict = z.enum(verdicts);
export type Verdict = z.infer<typeof Verdict>;

const findingStatuses = ['met', 'partly_met', 'missing', 'contradicted', 'not_assessable'] as const;
export const FindingStatus = z.enum(findingStatuses);
export type FindingStatus = z.infer<typeof FindingStatus>;

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** A passage of evidence by reference; `start` and `end` are UTF-8 byte offsets into its text. */
const EvidencePlace = z.object({ ref: z.string(), start: z.int().min(0), end: z.int().min(1) });
export type EvidencePlace = z.infer<typeof EvidencePlace>;

/** A passage of evidence by reference and digest. */
export const Citation = EvidencePlace.extend({ digest });
export type Citation = z.infer<typeof Citation>;

/** UTF-8 byte offsets into a text of the work or of an evidence item, or a JSON Pointer into structured work. */
const ProofPlace = z.union([
  EvidencePlace,
  z.object({ start: z.int().min(0), end: z.int().min(1) }),
  z.object({ path: z.string() }),
]);
export type ProofPlace = z.infer<typeof ProofPlace>;

/**
 * Why a statement has its status, as data that the kernel checked (check design, "The idea"). Places, never text: a
 * report outlives what was submitted. A place with `ref` lies in that evidence, any other in the work.
 */
const Proof = z.discriminatedUnion('is', [
  z.object({ is: z.literal('verbatim'), at: z.array(ProofPlace).min(1) }),
  z.object({ is: z.literal('value'), claimed: z.array(ProofPlace), known: z.array(ProofPlace).min(1) }),
  z.object({
    is: z.literal('computed'),
    expression: z.string().meta({ description: 'Over `a`, `b`, … for the operands, in their order.' }),
    operands: z.array(ProofPlace),
    result: z.string(),
  }),
  z.object({ is: z.literal('read'), by: z.array(z.string()).min(1), quotes: z.array(ProofPlace).min(1) }),
  z.object({
    is: z.literal('otherwise'),
    claimed: z.array(ProofPlace),
    known: z.array(ProofPlace),
    how: z.enum(['value', 'denied', 'role', 'order', 'scope', 'computed']),
  }),
  z.object({ is: z.literal('absent'), words: z.array(ProofPlace) }),
]);
export type Proof = z.infer<typeof Proof>;

/** What a finding rests on: a count of form, the statements, what stands in the work, or a reader's view of taste. */
const FindingBasis = z.enum(['form', 'statements', 'content', 'judgement']);
export type FindingBasis = z.infer<typeof FindingBasis>;

export const Finding = z.object({
  criterion: z.string().min(1),
  status: FindingStatus,
  reason: z.string().min(1),
  basis: FindingBasis.optional(),
  quotes: z
    .array(z.string())
    .meta({ description: 'The words of the work that meet or break the criterion; `citations` name evidence only.' })
    .optional(),
  citations: z.array(Citation).optional(),
  statements: z
    .array(z.int().min(0))
    .meta({ description: 'Indexes into `statements` of the report: the ones this finding rests on.' })
    .optional(),
});
export type Finding = z.infer<typeof Finding>;

/**
 * `supported` is proven by the evidence; `undecided`: the evidence speaks of it and could not settle it; `not_found`: the
 * evidence is silent; `not_checked`: advice, a greeting or a plan, which no evidence can settle.
 */
const statementStatuses = ['supported', 'contradicted', 'undecided', 'not_found', 'not_checked'] as const;
export const StatementStatus = z.enum(statementStatuses);
export type StatementStatus = z.infer<typeof StatementStatus>;

export const statementKinds = ['sentence', 'item', 'cell', 'leaf'] as const;
export type StatementKind = (typeof statementKinds)[number];

/**
 * One statement of the work (interface, section 7): by JSON Pointer in structured work, else by UTF-8 byte offsets into
 * the text. `why` quotes at most `bounds.quote_characters` of either side; the digests of what is cited stand in `sources`.
 */
export const ReportedStatement = z.object({
  path: z.string().optional(),
  start: z.int().min(0).optional(),
  end: z.int().min(1).optional(),
  kind: z.enum(statementKinds),
  status: StatementStatus,
  citations: z.array(EvidencePlace).optional(),
  why: z.string().min(1),
  /** The words at issue: of the work, and of the evidence or of another place in the work. */
  compared: z.object({ claimed: z.string(), known: z.string() }).optional(),
  /** What was worked out, such as "360 × 41.50 = 14,940". */
  computed: z.string().optional(),
  proof: Proof.optional(),
  number: z
    .int()
    .min(1)
    .meta({ description: 'Only with `view=summary`: its number among all statements of the work.' })
    .optional(),
  by: z
    .array(z.string())
    .meta({ description: 'The rule, or the models, whose opinion decided the status.' })
    .optional(),
});
export type ReportedStatement = z.infer<typeof ReportedStatement>;

/** The accuracy measured for a kind of configuration, on what, and whether that version is the one that wrote a report. */
export const Measured = z.object({
  configuration: z.string(),
  measured_at: z.string(),
  measured_on: z.string(),
  version: z.string(),
  this_version: z.boolean(),
  figures: z.record(z.string(), z.number()),
});
export type Measured = z.infer<typeof Measured>;

const origin = z.enum(['supplied', 'retrieved']);

const sourceEntry = z.object({
  ref: z.string(),
  source: z.string(),
  digest,
  observed_at: z.string().nullable(),
  origin,
});
export type SourceEntry = z.infer<typeof sourceEntry>;

/** Named, so that schemas hold its values once. */
const checkName = z.enum(deterministicChecks).meta({ id: 'DeterministicCheck' });

export const CheckOutcome = z.object({
  check: checkName,
  status: z.enum(['passed', 'skipped', 'failed']),
  detail: z.looseObject({}),
});
export type CheckOutcome = z.infer<typeof CheckOutcome>;

/** What a check can decide, told with the quote. */
export const Forecast = z.object({
  assessor: z.string(),
  statements: z.int().min(0).meta({ description: 'Statements that the work will be split into.' }),
  decidable_by_rules: z.int().min(0).meta({
    description: 'At most so many give rules something to hold on to: fields, cells, sentences with a figure.',
  }),
  criteria: z.object({ by_rules: z.int().min(0), need_a_reader: z.int().min(0) }),
});
export type Forecast = z.infer<typeof Forecast>;

/** A delivered report (service contract, sections 2.5 and 2.6). */
export const Report = z.object({
  contract_version: z.literal(service.contractVersion),
  verdict: Verdict,
  model_verdict: z.string(),
  summary: z.string().min(1),
  findings: z.array(Finding).min(1).max(bounds.findings),
  statements: z.array(ReportedStatement).max(bounds.statements).meta({
    description:
      'Each statement of the work in its order: `path` (JSON Pointer) in structured work, else `start` and `end` (UTF-8 bytes). `not_found` accuses of nothing.',
  }),
  statements_omitted: z
    .int()
    .min(0)
    .meta({ description: 'Only with `view=summary`: proven statements left out; `next` reads the rest.' })
    .optional(),
  next: z.string().optional(),
  kernel_version: z.string().meta({ description: 'The version of the kernel that checked the proofs.' }).optional(),
  measured: Measured.nullable().meta({
    description: 'Accuracy measured for this configuration, on what and in which version; null when it never was.',
  }),
  evidence: z.array(z.object({ origin, source: z.string() })),
  verification: z.object({
    status: z.enum(['checks_passed_model_only', 'checks_passed_corroborated', 'checks_failed']),
    checks: z.array(CheckOutcome),
    confidence_calibrated: z.boolean(),
    failed_checks: z.array(checkName),
    independent_sources: z.int().min(0),
    method: z.string(),
    reasons: z.array(z.string()),
  }),
  checked_result: z.boolean(),
  checks: z.object({ performed: z.array(checkName), skipped: z.array(checkName), failed: z.array(checkName) }),
  sources: z.object({ supplied: z.array(sourceEntry), independently_retrieved: z.array(sourceEntry) }),
  limitations: z.array(z.string()),
  assessed_work_use: z.object({
    human_approval_required: z.boolean(),
    basis: z.string(),
    recommendation: z
      .enum(['use_after_review', 'revise_before_use', 'gather_evidence_before_use', 'decide_by_a_person'])
      .optional(),
  }),
  delivery: z.object({
    status: z.literal('delivered'),
    reviewer: z.literal('buyer'),
    producer_may_accept: z.literal(false),
    receipt_certifies_work: z.literal(false),
    review_window_seconds: z.int().optional(),
  }),
  report: z.object({ format: z.literal('text/markdown'), body: z.string().min(1) }),
  requires_human_review: z.boolean(),
  score: z.number().min(0).max(1).optional(),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Share of the statements that can be checked which were decided; no probability.' })
    .optional(),
  corrected_output: z.string().optional(),
  kind: z.string().optional(),
  work_kind: z.string().optional(),
  recommended_action: z.string().optional(),
  service_key: z.string().optional(),
  sample: z.boolean().optional(),
  checked_at: z.string().optional(),
  /** Only in a re-check: what differs from the report that was disputed. */
  correction: z
    .object({
      reason: z.string(),
      previous_report_digest: digest,
      verdict_before: Verdict,
      changes: z.array(z.object({ criterion: z.string(), before: z.string(), after: z.string() })),
    })
    .optional(),
});
export type Report = z.infer<typeof Report>;

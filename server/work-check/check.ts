import type { AssessedFinding, Assessment, Assessor } from './assessors/port.ts';
import { citePassage } from './citations.ts';
import { readWork, type Work } from './claims.ts';
import {
  type CheckOutcome,
  type CheckRequest,
  type Citation,
  type Finding,
  type Report,
  reportDigest,
} from './contract.ts';
import { type ClaimReading, readClaim } from './contradictions.ts';
import { checkCitationIntegrity } from './deterministic/citation-integrity.ts';
import { checkEvidenceFreshness } from './deterministic/evidence-freshness.ts';
import { checkEvidenceIntegrity } from './deterministic/evidence-integrity.ts';
import { checkRubricCoverage } from './deterministic/rubric-coverage.ts';
import { checkSourceCorroboration } from './deterministic/source-corroboration.ts';
import { checkWorkProductSchema } from './deterministic/work-product-schema.ts';
import { type Entry, entriesOf, requestText, WORK_ENTRY } from './entries.ts';
import { CheckFailure } from './failure.ts';
import { gatherSources, type RetrievedSource } from './gather-sources.ts';
import { canonicalJson } from './json-value.ts';
import { type EvidenceIndex, type EvidenceSource, indexEvidence, passageText } from './reading/evidence-index.ts';
import { composeReport } from './report.ts';
import { validateReport } from './validate-report.ts';
import { capOfChecks, capOfFindings, lowest } from './verdict.ts';

export type CheckOptions = {
  assessor: Assessor;
  /** One for each of the request's `context.refs`; a missing one fails the delivery. */
  retrieved?: readonly RetrievedSource[];
  now: Date;
  serviceKey?: string;
  /** Given for the included re-check: the disputed report, the buyer's reason and wishes. */
  previous?: { report: Report; reason: string; correction_request?: CheckRequest['correction_request'] };
  /** `percent` never falls. */
  onProgress?: (stage: string, percent: number) => void;
  signal?: AbortSignal;
};

const INSTRUCTION_ENTRY = 'The material holds no text that tries to instruct the assessor';
const INSTRUCTIONS_QUOTED = 3;
const QUOTE_CHARS = 120;

/**
 * Checks a piece of work against its request, criteria and evidence, and returns the report to deliver. The assessor's
 * verdict can only be lowered by what the deterministic checks and the contradiction rules find.
 *
 * @throws {CheckFailure} when a source is gone, the assessor fails, or the report would break the contract
 */
export async function checkWork(request: CheckRequest, options: CheckOptions): Promise<Report> {
  const progress = options.onProgress ?? (() => {});
  progress('reading', 5);
  const sources = gatherSources(request, options.retrieved ?? []);
  const evidence = indexEvidence(sources);
  const work = readWork(request.work_product);
  const readings = readClaims(work, evidence, options.signal, (share) =>
    progress('reading', 5 + Math.floor(share * 35)),
  );
  progress('checking', 40);
  const early = await runEarlyChecks(request, sources, options);
  progress('assessing', 50);
  const entries = withWorkEntry(entriesOf(request));
  const assessment = await assess(request, options, { work, evidence, entries, readings });
  progress('writing', 90);
  const { findings, citations, dropped } = citeFindings(entries, assessment.findings, readings, evidence);
  const stated = entriesOf(request);
  // In the order of the contract.
  const checks = [
    early.integrity,
    early.freshness,
    early.schema,
    checkRubricCoverage(stated, findings),
    checkCitationIntegrity(citations, dropped, sources),
    early.corroboration,
  ];
  const instructions = instructionFinding(work, evidence);
  const all = instructions === undefined ? findings : [...findings, instructions.finding];
  const verdict = lowest(
    assessment.verdict,
    capOfChecks(checks),
    capOfFindings(all),
    instructions === undefined ? 'supported' : 'escalate',
  );
  const report = composeReport({
    request,
    sources,
    findings: all,
    stated: stated.length,
    checks,
    verdict,
    model_verdict: assessment.verdict,
    score: assessment.score,
    confidence: assessment.confidence,
    method: options.assessor.method,
    instructions: instructions?.count ?? 0,
    limitations: limitationsOf(request, checks, work, dropped, assessment),
    now: options.now,
    service_key: options.serviceKey,
    corrected_output: assessment.corrected_output,
    correction: correctionOf(options.previous, all),
  });
  validateReport(report, request, options.retrieved ?? [], sources);
  progress('writing', 100);
  return report;
}

function readClaims(
  work: Work,
  evidence: EvidenceIndex,
  signal: AbortSignal | undefined,
  onShare: (share: number) => void,
): ClaimReading[] {
  return work.claims.map((claim, index) => {
    signal?.throwIfAborted();
    onShare(index / work.claims.length);
    return readClaim(claim, evidence);
  });
}

async function runEarlyChecks(
  request: CheckRequest,
  sources: readonly EvidenceSource[],
  { now, signal }: CheckOptions,
): Promise<Record<'integrity' | 'freshness' | 'schema' | 'corroboration', CheckOutcome>> {
  const supplied = sources.filter(({ origin }) => origin === 'supplied');
  const retrieved = sources.filter(({ origin }) => origin === 'retrieved');
  return {
    integrity: checkEvidenceIntegrity(supplied),
    freshness: checkEvidenceFreshness(supplied, request.max_evidence_age_seconds, now),
    schema: await checkWorkProductSchema(request, signal),
    corroboration: checkSourceCorroboration(supplied, retrieved, (request.context?.refs ?? []).length),
  };
}

/** The work as a whole is always looked at, so a wrong statement that no criterion names is still found. */
function withWorkEntry(entries: readonly Entry[]): Entry[] {
  return entries.some(({ from }) => from === 'work') ? [...entries] : [...entries, { label: WORK_ENTRY, from: 'work' }];
}

async function assess(
  request: CheckRequest,
  { assessor, signal, previous, onProgress }: CheckOptions,
  reading: { work: Work; evidence: EvidenceIndex; entries: Entry[]; readings: ClaimReading[] },
): Promise<Assessment> {
  const wishes = previous?.correction_request ?? request.correction_request;
  const correction =
    previous === undefined
      ? undefined
      : [previous.reason, wishes === undefined ? '' : canonicalJson(wishes)].join(' ').trim();
  const assessment = await assessor.assess({
    ...reading,
    request: requestText(request),
    work_kind: request.work_kind,
    correction,
    onProgress: (share) => onProgress?.('assessing', 50 + Math.floor(Math.min(1, Math.max(0, share)) * 40)),
    signal,
  });
  if (assessment.findings.length !== reading.entries.length)
    throw new CheckFailure('assessor_failed', 'The assessor did not answer every criterion.');
  return assessment;
}

function citeFindings(
  entries: readonly Entry[],
  assessed: readonly AssessedFinding[],
  readings: readonly ClaimReading[],
  evidence: EvidenceIndex,
): { findings: Finding[]; citations: Citation[]; dropped: number } {
  let dropped = 0;
  const findings = entries.map(({ label, from }, index): Finding => {
    const { status, reason, passages } = assessed[index] ?? { status: 'not_assessable', reason: '', passages: [] };
    const cited = passages.map((passage) => citePassage(passage, evidence.sources));
    const citations = cited.filter((citation) => citation !== undefined);
    dropped += cited.length - citations.length;
    const contradicted = from === 'work' && readings.some(({ faults }) => faults.some((fault) => fault.contradicts));
    return {
      criterion: label,
      // The rules see every statement; no assessor may call the work as a whole sound over a contradiction they found.
      status: contradicted && status !== 'contradicted' ? 'contradicted' : status,
      reason:
        contradicted && status !== 'contradicted' ? `${reason} The rules found a contradiction in the work.` : reason,
      ...(citations.length > 0 ? { citations } : {}),
    };
  });
  return { findings, citations: findings.flatMap((finding) => finding.citations ?? []), dropped };
}

function instructionFinding(work: Work, evidence: EvidenceIndex): { finding: Finding; count: number } | undefined {
  const inWork = work.claims
    .filter((claim) => claim.instruction)
    .map((claim) => ({ where: `the work, ${claim.at}`, text: claim.text }));
  const passages = evidence.passages.filter((passage) => passage.instruction);
  const inEvidence = passages.map((passage) => ({
    where: evidence.sources[passage.source]?.source || 'an unnamed source',
    text: passageText(evidence, passage),
  }));
  const found = [...inWork, ...inEvidence];
  if (found.length === 0) return undefined;
  const quotes = found
    .slice(0, INSTRUCTIONS_QUOTED)
    .map(({ where, text }) => `“${text.slice(0, QUOTE_CHARS)}” (${where})`);
  const citations = passages.slice(0, INSTRUCTIONS_QUOTED).flatMap((passage) => {
    const ref = evidence.sources[passage.source]?.ref ?? '';
    return citePassage({ ref, start: passage.start, end: passage.end }, evidence.sources) ?? [];
  });
  const finding: Finding = {
    criterion: INSTRUCTION_ENTRY,
    status: 'contradicted',
    reason: `${found.length} ${found.length === 1 ? 'passage speaks' : 'passages speak'} to the assessor: ${quotes.join('; ')}. It was not followed and counts for nothing.`,
    ...(citations.length > 0 ? { citations } : {}),
  };
  return { finding, count: found.length };
}

function limitationsOf(
  request: CheckRequest,
  checks: readonly CheckOutcome[],
  work: Work,
  dropped: number,
  assessment: Assessment,
): string[] {
  const skipped = (check: CheckOutcome['check']): boolean =>
    checks.some((outcome) => outcome.check === check && outcome.status === 'skipped');
  const lines = [
    skipped('source_corroboration')
      ? 'Nothing was retrieved independently: the evidence is what the buyer supplied, taken as given.'
      : 'Independent retrieval covered only the governed refs named in the request.',
    skipped('evidence_freshness') ? 'The age of the evidence was not checked.' : '',
    skipped('work_product_schema') ? 'The structure of the work was not checked against a schema.' : '',
    'Score and confidence are not calibrated probabilities.',
    'No URL was fetched, no code was run, and nothing was confirmed in an external system.',
    ...assessment.limitations,
    work.left_out > 0 ? `${work.left_out} statements beyond the first ${work.claims.length} were not read.` : '',
    dropped > 0 ? `${dropped} citations that named no passage of the evidence were dropped.` : '',
    request.rubric !== undefined ? 'Rubric weights, if any, were not applied; each entry was assessed by itself.' : '',
  ];
  return lines.filter((line) => line !== '');
}

function correctionOf(previous: CheckOptions['previous'], findings: readonly Finding[]): Report['correction'] {
  if (previous === undefined) return undefined;
  const before = new Map(previous.report.findings.map((finding) => [finding.criterion, finding]));
  const changes = findings.flatMap(({ criterion, status }) => {
    const old = before.get(criterion)?.status ?? 'not in the first report';
    return old === status ? [] : [{ criterion, before: old, after: status }];
  });
  const after = new Set(findings.map(({ criterion }) => criterion));
  const gone = previous.report.findings
    .filter(({ criterion }) => !after.has(criterion))
    .map(({ criterion, status }) => ({ criterion, before: status, after: 'not in this report' }));
  return {
    reason: previous.reason,
    previous_report_digest: reportDigest(previous.report),
    verdict_before: previous.report.verdict,
    changes: [...changes, ...gone],
  };
}

// Longer than 300 lines: the one flow from request to report, kept readable from top to bottom.
import { canonicalJson, utf8Bytes } from '../kernel/json-value.ts';
import { seconds } from '../service/terms.ts';
import type { Assessment, AssessmentTask, Assessor, JudgedStatement, Passage } from './assessors/port.ts';
import { isUnsettled } from './assessors/port.ts';
import { citePassage } from './citations.ts';
import {
  bounds,
  type CheckOutcome,
  type CheckRequest,
  type Citation,
  type EvidencePlace,
  type Finding,
  type Report,
  type ReportedStatement,
  reportDigest,
  type Verdict,
} from './contract.ts';
import { checkCitationIntegrity } from './deterministic/citation-integrity.ts';
import { checkEvidenceFreshness } from './deterministic/evidence-freshness.ts';
import { checkEvidenceIntegrity } from './deterministic/evidence-integrity.ts';
import { checkRubricCoverage } from './deterministic/rubric-coverage.ts';
import { checkSourceCorroboration } from './deterministic/source-corroboration.ts';
import { checkWorkProductSchema } from './deterministic/work-product-schema.ts';
import { maskPersonalData } from './engines/personal-data.ts';
import { type Entry, entriesOf, requestText, WORK_ENTRY } from './entries.ts';
import { CheckFailure } from './failure.ts';
import { gatherSources, type RetrievedSource } from './gather-sources.ts';
import { unsettled, where } from './judge/ground.ts';
import { judgeStatements } from './judge/judge-statements.ts';
import type { Ground } from './kernel/decide.ts';
import { clip } from './quoting.ts';
import { type EvidenceIndex, type EvidenceSource, indexEvidence, passageText } from './reading/evidence-index.ts';
import { composeReport } from './report.ts';
import { readWork, type Statement, type Work } from './statements.ts';
import { validateReport } from './validate-report.ts';
import { capOfChecks, capOfFindings, capOfStatements, lowest } from './verdict.ts';

export type CheckOptions = {
  assessor: Assessor;
  /** One for each of the request's `context.refs`; a missing one fails the delivery. */
  retrieved?: readonly RetrievedSource[];
  now: Date;
  /** Secret of the server for this job and round: a recorded answer of a model fits only the same one. */
  seed?: string;
  serviceKey?: string;
  /** How long the buyer may review, in seconds; that of the terms unless the quote says otherwise. */
  reviewSeconds?: number;
  /** Given for the included re-check: the disputed report, the buyer's reason and wishes. */
  previous?: { report: Report; reason: string; correction_request?: CheckRequest['correction_request'] };
  /** `percent` never falls. */
  onProgress?: (stage: string, percent: number) => void;
  signal?: AbortSignal;
};

const INSTRUCTION_ENTRY = 'The material holds no text that tries to instruct the assessor';
const INSTRUCTIONS_QUOTED = 3;
/** Findings and statements cite the passages that tell most; a proof holds every place. */
const CITED_MAX = 2;
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
  const { judged, readings } = judgeStatements(work, evidence, options.signal, (share) =>
    progress('reading', 5 + Math.floor(share * 35)),
  );
  progress('checking', 40);
  const early = await runEarlyChecks(request, sources, options);
  progress('assessing', 50);
  const entries = withWorkEntry(entriesOf(request));
  const assessment = await assess(request, options, {
    work,
    evidence,
    entries,
    readings,
    judged,
    schema: early.schema.status,
  });
  progress('writing', 90);
  const cited = cite(entries, assessment, work, evidence);
  const findings = cited.findings.map((finding) => ({
    ...finding,
    reason: tidy(masked(finding.reason)),
  }));
  const statements = cited.statements.map(maskedStatement);
  const { citations, dropped } = cited;
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
  const isForAPerson = assessment.escalate === true || judged.some(({ disputed }) => disputed === true);
  const model_verdict = lowest(capOfFindings(findings), isForAPerson ? 'escalate' : 'supported');
  const verdict = verdictOf(model_verdict, { checks, statements, work, isInstructed: instructions !== undefined });
  const report = composeReport({
    request,
    sources,
    findings: all,
    statements,
    disputed: assessment.statements.some(({ disputed }) => disputed === true),
    measured: options.assessor.measured ?? null,
    stated: stated.length,
    checks,
    verdict,
    model_verdict,
    score: assessment.score,
    confidence: shareDecided(statements),
    method: options.assessor.method,
    instructions: instructions?.count ?? 0,
    limitations: limitationsOf(request, { checks, work, dropped, assessment }),
    now: options.now,
    service_key: options.serviceKey,
    review_seconds: options.reviewSeconds ?? seconds.reviewWindow,
    corrected_output: assessment.corrected_output,
    correction: correctionOf(options.previous, all),
  });
  validateReport(report, request, options.retrieved ?? [], sources);
  progress('writing', 100);
  return report;
}

/** The assessor's verdict, lowered by all that was found: nothing raises it. */
function verdictOf(
  model_verdict: Verdict,
  found: {
    checks: readonly CheckOutcome[];
    statements: Parameters<typeof capOfStatements>[0];
    work: Work;
    isInstructed: boolean;
  },
): Verdict {
  return lowest(
    model_verdict,
    capOfChecks(found.checks),
    capOfStatements(found.statements),
    // What was not read cannot be borne out.
    found.work.left_out > 0 ? 'insufficient_evidence' : 'supported',
    found.isInstructed ? 'escalate' : 'supported',
  );
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
  { assessor, signal, previous, onProgress, now, seed }: CheckOptions,
  reading: Pick<AssessmentTask, 'work' | 'evidence' | 'entries' | 'readings' | 'judged' | 'schema'>,
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
    now,
    seed,
    onProgress: (share) => onProgress?.('assessing', 50 + Math.floor(Math.min(1, Math.max(0, share)) * 40)),
    signal,
  });
  if (assessment.findings.length !== reading.entries.length)
    throw new CheckFailure('assessor_failed', 'The assessor did not answer every criterion.');
  return assessment;
}

/** Findings and statements with citations in place of passages; passages that lie nowhere are dropped and counted. */
function cite(
  entries: readonly Entry[],
  assessment: Assessment,
  work: Work,
  evidence: EvidenceIndex,
): { findings: Finding[]; statements: ReportedStatement[]; citations: Citation[]; dropped: number } {
  let dropped = 0;
  const citationsOf = (passages: readonly Passage[]): Citation[] => {
    const cited = passages.map((passage) => citePassage(passage, evidence.sources));
    const citations = cited.filter((citation) => citation !== undefined);
    dropped += cited.length - citations.length;
    return citations;
  };
  const placesOf = (passages: readonly Passage[]): EvidencePlace[] =>
    citationsOf(passages).map(({ ref, start, end }) => ({ ref, start, end }));
  const listed = assessment.statements.slice(0, bounds.statements);
  const findings = entries.map(({ label }, index): Finding => {
    const assessed = assessment.findings[index] ?? { status: 'not_assessable', reason: '', passages: [] };
    const citations = citationsOf(assessed.passages).slice(0, CITED_MAX);
    const statements = (assessed.statements ?? []).filter((at) => at < listed.length);
    return {
      criterion: label,
      status: assessed.status,
      reason: assessed.reason,
      ...(assessed.basis === undefined ? {} : { basis: assessed.basis }),
      ...(assessed.quotes === undefined || assessed.quotes.length === 0 ? {} : { quotes: assessed.quotes.map(masked) }),
      ...(citations.length > 0 ? { citations } : {}),
      ...(statements.length > 0 ? { statements } : {}),
    };
  });
  const bytes = byteOffsets(typeof work.value === 'string' ? work.value : '');
  const statements = listed.map(
    ({ statement, status, why, passages, compared, computed, opinions, by }): ReportedStatement => {
      // Silent evidence cannot be cited; a passage that tells it otherwise can.
      const isSilent = status === 'not_found' && compared === undefined;
      const citations = isSilent ? [] : placesOf(passages.slice(0, CITED_MAX));
      const { place } = statement;
      return {
        ...('path' in place ? { path: place.path } : { start: bytes(place.start), end: bytes(place.end) }),
        kind: statement.kind,
        status,
        // The statement stands at its place: its words are not said again.
        why: ofThis(why, statement),
        ...(citations.length > 0 ? { citations } : {}),
        ...(compared === undefined
          ? {}
          : { compared: { claimed: clip(compared.claimed), known: clip(compared.known) } }),
        ...(computed === undefined ? {} : { computed }),
        ...provenBy({ opinions, by, status }, placesOf),
      };
    },
  );
  const citations = findings.flatMap((finding) => finding.citations ?? []);
  return { findings, statements, citations, dropped };
}

/** A reason beside its statement: "this" for its words, and not again that it is open, as its status says. */
function ofThis(why: string, statement: Statement): string {
  const [words, opening] = [where(statement), `${unsettled(statement)} `];
  if (why.startsWith(opening)) return why.slice(opening.length);
  return why.startsWith(words) ? `This${why.slice(words.length)}` : why.replace(words, () => 'this');
}

/** What decided a statement, and its proof as places. */
function provenBy(
  { opinions, by, status }: Pick<JudgedStatement, 'opinions' | 'status'> & { by: string | undefined },
  places: (passages: readonly Passage[]) => EvidencePlace[],
): Pick<ReportedStatement, 'by' | 'proof'> {
  const says = status === 'supported' ? 'supports' : status === 'contradicted' ? 'contradicts' : undefined;
  const decisive = opinions.filter((one) => one.says === says);
  const names = [...new Set(decisive.map((one) => one.by))];
  const proof = decisive.find((one) => one.proof !== undefined)?.proof;
  const shown = names.length > 0 ? names : by === undefined || opinions.length === 0 ? [] : [by];
  return {
    ...(shown.length === 0 ? {} : { by: shown }),
    ...(proof === undefined ? {} : proofOf(proof, names, places)),
  };
}

function proofOf(
  proof: Ground,
  by: string[],
  places: (passages: readonly Passage[]) => EvidencePlace[],
): Pick<ReportedStatement, 'proof'> {
  switch (proof.is) {
    case 'verbatim':
      return { proof: { is: 'verbatim', at: places(proof.known) } };
    case 'value':
      return { proof: { is: 'value', claimed: [], known: places(proof.known) } };
    case 'computed':
      return {
        proof: { is: 'computed', expression: proof.expression, operands: places(proof.operands), result: proof.result },
      };
    case 'read': {
      const quotes = places(proof.quotes);
      return quotes.length === 0 ? {} : { proof: { is: 'read', by, quotes } };
    }
    case 'otherwise':
      return { proof: { is: 'otherwise', claimed: [], known: places(proof.known), how: proof.how } };
    default:
      return proof satisfies never;
  }
}

/** Where personal data may stand: an address, or digits enough for a number of a person. */
const MAY_BE_PERSONAL = /@|\d[\d ()./-]{6,}\d|\b[A-Z]{2}\d{2}\b/;

/** The report outlives what was submitted, so it keeps no personal data that a quotation would carry. */
const masked = (text: string): string => (MAY_BE_PERSONAL.test(text) ? maskPersonalData(text) : text);

/** A quotation that ends its own sentence needs no second full stop. */
const tidy = (text: string): string => text.replaceAll(/([.!?…]”)\./g, '$1');

function maskedStatement(statement: ReportedStatement): ReportedStatement {
  const { compared } = statement;
  const why = tidy(statement.why);
  if (!MAY_BE_PERSONAL.test(why) && !MAY_BE_PERSONAL.test(`${compared?.claimed} ${compared?.known}`))
    return { ...statement, why };
  return {
    ...statement,
    why: masked(why),
    ...(compared === undefined
      ? {}
      : { compared: { claimed: masked(compared.claimed), known: masked(compared.known) } }),
  };
}

/** The UTF-8 offset of a UTF-16 one; asked for in rising order, it walks a text once. */
function byteOffsets(text: string): (at: number) => number {
  let [known, bytes] = [0, 0];
  return (at) => {
    if (at < known) [known, bytes] = [0, 0];
    bytes += utf8Bytes(text.slice(known, at));
    known = at;
    return bytes;
  };
}

/** The share of the statements that can be checked which the check decided, from 0 to 1. */
function shareDecided(statements: readonly { status: ReportedStatement['status'] }[]): number {
  const checkable = statements.filter(({ status }) => status !== 'not_checked');
  const decided = checkable.filter(({ status }) => !isUnsettled(status)).length;
  return checkable.length === 0 ? 0 : Math.round((decided / checkable.length) * 1e6) / 1e6;
}

function instructionFinding(work: Work, evidence: EvidenceIndex): { finding: Finding; count: number } | undefined {
  const inWork = work.statements
    .filter((statement) => statement.instruction)
    .map((statement) => ({ where: `the work, ${statement.at}`, text: statement.text }));
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
  found: { checks: readonly CheckOutcome[]; work: Work; dropped: number; assessment: Assessment },
): string[] {
  const { checks, work, dropped, assessment } = found;
  const skipped = (check: CheckOutcome['check']): boolean =>
    checks.some((outcome) => outcome.check === check && outcome.status === 'skipped');
  const lines = [
    skipped('source_corroboration')
      ? 'The evidence is what the buyer supplied, taken as given; no URL was fetched and no code was run.'
      : 'Beside the governed refs of the request nothing was retrieved: no URL was fetched and no code was run.',
    skipped('evidence_freshness') ? 'The age of the evidence was not checked.' : '',
    skipped('work_product_schema') ? 'The work was checked against no schema.' : '',
    'Score and confidence are not calibrated probabilities.',
    ...assessment.limitations,
    work.left_out > 0 ? `${work.left_out} statements beyond the first ${work.statements.length} were not read.` : '',
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

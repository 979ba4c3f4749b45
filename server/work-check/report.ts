import { service } from '../service/terms.ts';
import type {
  CheckOutcome,
  CheckRequest,
  Finding,
  Report,
  ReportedStatement,
  SourceEntry,
  Verdict,
} from './contract.ts';
import { KERNEL_VERSION } from './kernel/prove.ts';
import { renderMarkdown } from './markdown.ts';
import { clip } from './quoting.ts';
import type { EvidenceSource } from './reading/evidence-index.ts';

export type ReportParts = {
  request: CheckRequest;
  sources: readonly EvidenceSource[];
  findings: Finding[];
  statements: ReportedStatement[];
  /** Whether sources contradict each other on a statement. */
  disputed: boolean;
  measured: Report['measured'];
  /** How many of the findings, from the first on, answer what the buyer stated. */
  stated: number;
  checks: CheckOutcome[];
  verdict: Verdict;
  model_verdict: Verdict;
  score: number;
  confidence: number;
  method: string;
  instructions: number;
  limitations: string[];
  now: Date;
  service_key: string | undefined;
  review_seconds: number;
  corrected_output: string | undefined;
  correction: Report['correction'];
};

/** Puts a report together from what the checks and the assessor found. */
export function composeReport(parts: ReportParts): Report {
  const { request, checks, verdict, findings } = parts;
  const names = (status: CheckOutcome['status']): CheckOutcome['check'][] =>
    checks.filter((check) => check.status === status).map(({ check }) => check);
  const entries = parts.sources.map(sourceEntry);
  const supplied = entries.filter(({ origin }) => origin === 'supplied');
  const independently_retrieved = entries.filter(({ origin }) => origin === 'retrieved');
  const failed = names('failed');
  const use = assessedWorkUse(parts);
  const report: Omit<Report, 'report'> = {
    contract_version: service.contractVersion,
    verdict,
    model_verdict: parts.model_verdict,
    summary: summaryOf(parts),
    findings,
    statements: parts.statements,
    kernel_version: KERNEL_VERSION,
    measured: parts.measured,
    evidence: entries.map(({ origin, source }) => ({ origin, source })),
    verification: {
      status:
        failed.length > 0
          ? 'checks_failed'
          : names('passed').includes('source_corroboration')
            ? 'checks_passed_corroborated'
            : 'checks_passed_model_only',
      checks,
      confidence_calibrated: false,
      failed_checks: failed,
      independent_sources: independently_retrieved.filter(
        ({ digest }) => !supplied.some((own) => own.digest === digest),
      ).length,
      method: `deterministic_checks+${parts.method}`,
      reasons: reasonsOf(parts, failed),
    },
    checked_result: failed.length === 0 && findings.every(({ status }) => status !== 'not_assessable'),
    checks: { performed: names('passed'), skipped: names('skipped'), failed },
    sources: { supplied, independently_retrieved },
    limitations: parts.limitations,
    assessed_work_use: use,
    delivery: {
      status: 'delivered',
      reviewer: 'buyer',
      producer_may_accept: false,
      receipt_certifies_work: false,
      review_window_seconds: parts.review_seconds,
    },
    requires_human_review: use.human_approval_required || verdict === 'escalate' || verdict === 'insufficient_evidence',
    score: parts.score,
    confidence: parts.confidence,
    kind: request.kind ?? 'validation',
  };
  if (request.work_kind !== undefined) report.work_kind = request.work_kind;
  report.recommended_action = actionOf(parts);
  if (parts.service_key !== undefined) report.service_key = parts.service_key;
  if (parts.corrected_output !== undefined) report.corrected_output = parts.corrected_output;
  if (parts.correction !== undefined) report.correction = parts.correction;
  report.checked_at = parts.now.toISOString();
  return Object.assign(report, { report: { format: 'text/markdown' as const, body: renderMarkdown(report) } });
}

const ACTIONS: Record<Verdict, string> = {
  supported: 'Read the findings, then use the work within what they cover.',
  insufficient_evidence: 'Have a person decide what stays open.',
  revise:
    'Have what the findings marked missing or contradicted name put right, and any failed check; then check the new version.',
  escalate: 'Have a person look at what the findings name before anything is done with the work.',
};

const RECOMMENDATIONS = {
  supported: 'use_after_review',
  insufficient_evidence: 'gather_evidence_before_use',
  revise: 'revise_before_use',
  escalate: 'decide_by_a_person',
} as const;

function sourceEntry({ ref, source, digest, observed_at, origin }: EvidenceSource): SourceEntry {
  return { ref, source, digest, observed_at, origin };
}

/** Approval and advice agree: what a person should decide is never said to need no approval. */
function assessedWorkUse(parts: ReportParts): Report['assessed_work_use'] {
  const recommendation = recommendationOf(parts);
  if (parts.request.downstream_policy?.human_approval_required === true)
    return {
      human_approval_required: true,
      basis: "The buyer's downstream_policy requires it, whatever the verdict.",
      recommendation,
    };
  if (recommendation === RECOMMENDATIONS.escalate)
    return {
      human_approval_required: true,
      basis:
        parts.verdict === 'escalate'
          ? 'The verdict is escalate: what was found cannot be settled by this check.'
          : 'More evidence would not settle what is open: a person decides it.',
      recommendation,
    };
  return {
    human_approval_required: false,
    basis: 'No downstream_policy requires it. The decision to use the work stays with the buyer.',
    recommendation,
  };
}

/** Where every statement is borne out and no check failed, more evidence would settle nothing. */
function recommendationOf(parts: ReportParts): (typeof RECOMMENDATIONS)[Verdict] {
  if (parts.verdict !== 'insufficient_evidence') return RECOMMENDATIONS[parts.verdict];
  const { checkable, open } = openIn(parts);
  const isForPerson = open === 0 && checkable > 0 && parts.checks.every(({ status }) => status !== 'failed');
  return isForPerson ? RECOMMENDATIONS.escalate : RECOMMENDATIONS.insufficient_evidence;
}

/** What the verdict rests on, literally: which statements and criteria were settled, and what is open. */
function openingOf(parts: ReportParts): string {
  const { verdict, findings, statements, checks } = parts;
  switch (verdict) {
    case 'revise':
      return 'Revise before use.';
    case 'escalate':
      return parts.disputed
        ? 'The sources contradict each other: a person should decide before the work is used.'
        : 'A person should look at this work before it is used.';
    case 'supported':
      return 'The evidence bears the work out.';
    case 'insufficient_evidence':
      return whatIsOpen({ findings, statements, checks });
    default:
      return verdict satisfies never;
  }
}

function whatIsOpen({ findings, statements, checks }: Pick<ReportParts, 'findings' | 'statements' | 'checks'>): string {
  const { checkable, open, unread } = openIn({ findings, statements });
  const told =
    checkable === 0
      ? 'The work makes no statement that could be checked.'
      : open > 0
        ? `Of ${checkable} statements that can be checked, ${open} could not be settled with this evidence.`
        : `${checkable === 1 ? 'The one statement that can be checked is' : `All ${checkable} statements that can be checked are`} borne out by the evidence.`;
  const criteria =
    unread === 0
      ? ''
      : ` ${unread} ${unread === 1 ? 'finding stays' : 'findings stay'} open${open === 0 && checkable > 0 ? '; evidence is not what is missing' : ''}.`;
  const failed = checks.some(({ status }) => status === 'failed') ? ' A check failed.' : '';
  return `${told}${criteria}${failed}`;
}

/** How many statements can be checked, how many of them are open, and how many findings were not settled. */
function openIn({ findings, statements }: Pick<ReportParts, 'findings' | 'statements'>): {
  checkable: number;
  open: number;
  unread: number;
} {
  return {
    checkable: statements.filter(({ status }) => status !== 'not_checked').length,
    open: statements.filter(({ status }) => status === 'not_found').length,
    unread: findings.filter(({ status }) => status === 'not_assessable' || status === 'partly_met').length,
  };
}

function actionOf(parts: ReportParts): string {
  const { verdict, checks } = parts;
  if (verdict !== 'insufficient_evidence') return ACTIONS[verdict];
  const { open, unread } = openIn(parts);
  const failed = checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
  const steps = [
    open > 0 ? 'Add evidence for the statements not found, or have a person decide them.' : '',
    unread > 0 ? 'Have a person judge the findings that are partly met or not assessable.' : '',
    failed.length > 0 ? `Put right what failed: ${failed.join(', ')}.` : '',
  ].filter((step) => step !== '');
  return steps.length > 0 ? steps.join(' ') : ACTIONS.insufficient_evidence;
}

/** How a summary counts findings, in this order. */
const TALLY: readonly (readonly [Finding['status'], string])[] = [
  ['met', 'met'],
  ['partly_met', 'partly met'],
  ['missing', 'missing'],
  ['contradicted', 'contradicted'],
  ['not_assessable', 'not assessable'],
];

function tallyOf(findings: readonly Finding[]): string {
  const parts: string[] = [];
  for (const [counted, word] of TALLY) {
    let count = 0;
    for (const { status } of findings) if (status === counted) count += 1;
    if (count > 0) parts.push(`${count} ${word}`);
  }
  return `Of ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}: ${parts.join(', ')}.`;
}

/** What a summary tells of the worst finding. */
const WORST_CHARS = 240;

function summaryOf(parts: ReportParts): string {
  const { findings, instructions, checks } = parts;
  const worst =
    findings.find(({ status }) => status === 'contradicted') ?? findings.find(({ status }) => status === 'missing');
  const failed = checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
  return [
    openingOf(parts),
    tallyOf(findings),
    worst === undefined ? '' : clip(worst.reason, WORST_CHARS),
    failed.length === 0 ? '' : `Failed: ${failed.join(', ')}.`,
    instructions === 0 ? '' : 'The material holds text that tries to instruct the assessor; it counted for nothing.',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function reasonsOf({ verdict, model_verdict, instructions }: ReportParts, failed: readonly string[]): string[] {
  const reasons = failed.map((check) => `${check} failed and caps the verdict`);
  if (instructions > 0) reasons.push('instruction-like text was found and caps the verdict');
  if (verdict !== model_verdict) reasons.push(`the assessor's verdict ${model_verdict} was lowered to ${verdict}`);
  if (failed.length === 0) reasons.push('every deterministic check that ran passed');
  return reasons;
}

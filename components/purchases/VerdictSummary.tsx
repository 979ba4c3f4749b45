import { Info } from 'lucide-react';
import { verdictMeanings } from '@/server/availability/meanings.ts';
import type { Report } from '@/server/work-check/contract.ts';
import { checkNames } from './check-words.ts';
import { StateBadge } from './State.tsx';
import { stateWord, tally } from './states.ts';

/** How many sources a report has, and who brought them. */
export function sourcesText(sources: Report['sources']): string {
  const supplied = sources.supplied.length;
  const retrieved = sources.independently_retrieved.length;
  return `${supplied} supplied by the buyer, ${retrieved === 0 ? 'none' : retrieved} retrieved`;
}

const methods: Record<string, string> = {
  'deterministic_checks+embedded_assessment': 'Rules, and no language model',
  'deterministic_checks+model_assessment': 'Rules and a language model',
  'deterministic_checks+model_panel_assessment': 'Rules and several language models',
};

/** How a report was made. */
export const methodText = (method: string): string => methods[method] ?? method;

/** Why the verdict differs from what the findings alone would give; null if it does not. */
function cappedText(report: Report): string | null {
  if (report.model_verdict === report.verdict) return null;
  const own = stateWord('verdict', report.model_verdict).word;
  const failed = report.verification.failed_checks.map((check) => checkNames[check].toLowerCase());
  const reason = failed.length > 0 ? `a failed check (${failed.join(', ')})` : lowering(report);
  return `The findings alone would give “${own}”; ${reason} lowered it.`;
}

/** What lowered the verdict to this one, where no check failed. */
function lowering({ verdict, statements }: Pick<Report, 'verdict' | 'statements'>): string {
  const has = (wanted: Report['statements'][number]['status']) => statements.some(({ status }) => status === wanted);
  if (verdict === 'revise') return 'contradicted statements';
  if (verdict === 'insufficient_evidence')
    return has('not_found') ? 'statements that the evidence does not bear out' : 'parts of the work that were not read';
  return has('undecided') && !has('contradicted') ? 'undecided statements' : 'text that tries to instruct the assessor';
}

/** A report's summary, beside its verdict. */
export function summaryBesideVerdict({ summary, verdict }: Pick<Report, 'summary' | 'verdict'>): string {
  const opening = `${stateWord('verdict', verdict).word}. `;
  return summary.startsWith(opening) ? summary.slice(opening.length) : summary;
}

/** What the statements came to, where the page tells each of them right below. */
function statementsText(statements: Report['statements']): string {
  const counted = tally(
    'statement',
    statements.map(({ status }) => status),
  );
  return `Of ${statements.length} ${statements.length === 1 ? 'statement' : 'statements'}: ${counted}.`;
}

/**
 * The verdict, what supports it, and what it does not mean.
 *
 * @param isToldBelow whether the page lists what does not agree right below, so that this need not. On a phone that is
 *   not even counted here, and what a report is stands at the end of the page
 */
export function VerdictSummary({ report, isToldBelow = false }: { report: Report; isToldBelow?: boolean }) {
  const capped = cappedText(report);
  const checks = report.verification.checks.map((outcome) => outcome.status);
  return (
    <section className="panel grid overflow-hidden lg:grid-cols-[minmax(0,1fr)_25rem]" aria-labelledby="verdict">
      <div className="p-4 md:p-6">
        <StateBadge kind="verdict" value={report.verdict} word="Verdict" />
        <h2 id="verdict" className="mt-2 text-h1 md:mt-3">
          {stateWord('verdict', report.verdict).word}
        </h2>
        <p
          className={`mt-1 max-w-[36rem] text-body wrap-anywhere text-ink-2 md:mt-2 ${isToldBelow ? 'max-md:hidden print:block' : ''}`}
        >
          {isToldBelow ? statementsText(report.statements) : summaryBesideVerdict(report)}
        </p>
        {capped ? <p className="mt-2 max-w-[36rem] text-ink-2">{capped}</p> : null}
        {report.recommended_action ? (
          <p className="mt-2 max-w-[36rem] text-body wrap-anywhere md:mt-4">
            <strong className="font-semibold">Next.</strong>{' '}
            {isToldBelow && report.verdict === 'revise'
              ? 'Fix what is listed below, then have the new version checked.'
              : report.recommended_action}
          </p>
        ) : null}
        {report.assessed_work_use.human_approval_required ? (
          <p className="mt-2 md:hidden print:hidden">
            A person <strong className="font-semibold">must approve</strong> before the work is used.
          </p>
        ) : null}
        <p className={`mt-2 flex gap-2 text-dense text-ink-3 md:mt-4 ${isToldBelow ? 'max-md:hidden print:flex' : ''}`}>
          <Info className="icon mt-0.5" />
          <span>
            {isToldBelow ? null : `${verdictMeanings[report.verdict]} `}An assessment for your review. It does not
            certify the work.
          </span>
        </p>
      </div>
      <dl className="facts border-t border-line px-5 py-2 max-md:hidden print:grid md:px-6 md:py-4 lg:border-t-0 lg:border-l">
        <dt>Findings</dt>
        <dd>
          {tally(
            'finding',
            report.findings.map((finding) => finding.status),
          )}
        </dd>
        <dt>Checks</dt>
        <dd>
          {tally('check', checks)}
          {checks.includes('failed') ? '' : ', none failed'}
        </dd>
        <dt>A person</dt>
        <dd>
          {report.assessed_work_use.human_approval_required ? (
            <>
              <strong className="font-semibold">must approve</strong> before the work is used
            </>
          ) : (
            'need not approve first, according to this check'
          )}
        </dd>
      </dl>
    </section>
  );
}

import { Info } from 'lucide-react';
import { verdictMeanings } from '@/server/service/meanings.ts';
import type { Report } from '@/server/work-check/contract.ts';
import { checkNames } from './check-words.ts';
import { decidedText } from './measured-words.ts';
import { StateBadge } from './State.tsx';
import { stateWord, tally } from './states.ts';

function sourcesText(sources: Report['sources']): string {
  const supplied = sources.supplied.length;
  const retrieved = sources.independently_retrieved.length;
  return `${supplied} supplied by the buyer, ${retrieved === 0 ? 'none' : retrieved} retrieved`;
}

const methods: Record<string, string> = {
  'deterministic_checks+embedded_assessment': 'Rules and a small trained model',
  'deterministic_checks+model_assessment': 'Rules, a small trained model and a language model',
  'deterministic_checks+model_panel_assessment': 'Rules, a small trained model and several language models',
};

/** Why the verdict differs from what the findings alone would give; null if it does not. */
function cappedText(report: Report): string | null {
  if (report.model_verdict === report.verdict) return null;
  const own = stateWord('verdict', report.model_verdict).word;
  const failed = report.verification.failed_checks.map((check) => checkNames[check].toLowerCase());
  const reason =
    failed.length > 0
      ? `a failed check (${failed.join(', ')})`
      : 'open or contradicted statements, or text that tries to instruct the assessor,';
  return `The findings alone would give “${own}”; ${reason} lowered it.`;
}

/** A report's summary, beside its verdict. */
export function summaryBesideVerdict({ summary, verdict }: Pick<Report, 'summary' | 'verdict'>): string {
  const opening = `${stateWord('verdict', verdict).word}. `;
  return summary.startsWith(opening) ? summary.slice(opening.length) : summary;
}

/** The verdict, what supports it, and what it does not mean. */
export function VerdictSummary({ report }: { report: Report }) {
  const capped = cappedText(report);
  const checks = report.verification.checks.map((outcome) => outcome.status);
  return (
    <section className="panel grid overflow-hidden lg:grid-cols-[minmax(0,1fr)_25rem]" aria-labelledby="verdict">
      <div className="p-5 md:p-6">
        <StateBadge kind="verdict" value={report.verdict} word="Verdict" />
        <h2 id="verdict" className="mt-3 text-h1">
          {stateWord('verdict', report.verdict).word}
        </h2>
        <p className="mt-2 max-w-[36rem] text-body wrap-anywhere text-ink-2">{summaryBesideVerdict(report)}</p>
        {capped ? <p className="mt-2 max-w-[36rem] text-ink-2">{capped}</p> : null}
        {report.recommended_action ? (
          <p className="mt-4 max-w-[36rem] text-body wrap-anywhere">
            <strong className="font-semibold">Next.</strong> {report.recommended_action}
          </p>
        ) : null}
        <p className="mt-4 flex gap-2 text-dense text-ink-3">
          <Info className="icon mt-0.5" />
          <span>{verdictMeanings[report.verdict]} An assessment for your review. It does not certify the work.</span>
        </p>
      </div>
      <dl className="facts border-t border-line px-5 py-2 md:px-6 md:py-4 lg:border-t-0 lg:border-l">
        <dt>Findings</dt>
        <dd>
          {tally(
            'finding',
            report.findings.map((finding) => finding.status),
          )}
        </dd>
        {report.confidence === undefined ? null : (
          <>
            <dt>Decided</dt>
            <dd>{decidedText(report.confidence)}</dd>
          </>
        )}
        <dt>Checks</dt>
        <dd>
          {tally('check', checks)}
          {checks.includes('failed') ? '' : ', none failed'}
        </dd>
        <dt>Sources</dt>
        <dd>{sourcesText(report.sources)}</dd>
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
        <dt>Method</dt>
        <dd>{methods[report.verification.method] ?? report.verification.method}</dd>
      </dl>
    </section>
  );
}

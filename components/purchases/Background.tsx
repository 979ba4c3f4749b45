import type { ReactNode } from 'react';
import { Digest } from '@/components/ui/Digest.tsx';
import type { Evidence } from '@/server/purchases/contract.ts';
import type { Report, SourceEntry } from '@/server/work-check/contract.ts';
import { Checks } from './Checks.tsx';
import { decidedText, measuredText } from './measured-words.ts';
import { Submitted } from './Submitted.tsx';
import { tally } from './states.ts';
import { methodText, sourcesText } from './VerdictSummary.tsx';

/** A part of the report that few readers need at once: its name and what it comes to, and the rest behind a press. */
function Fold({ id, title, comesTo, children }: { id: string; title: string; comesTo: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <details className="border-y border-line">
        <summary className="min-h-6 cursor-pointer py-2 md:py-2.5">
          <h2 id={id} className="inline text-ui font-medium md:text-h3">
            {title}
          </h2>{' '}
          <span className="text-dense text-ink-3">{comesTo}</span>
        </summary>
        <div className="pb-4">{children}</div>
      </details>
    </section>
  );
}

function Sources({ sources }: { sources: readonly SourceEntry[] }) {
  return (
    <ul className="border-t border-ink">
      {sources.map((source) => (
        <li
          key={`${source.origin} ${source.ref}`}
          className="grid gap-x-4 border-b border-line py-2.5 print:break-inside-avoid md:grid-cols-[minmax(0,1fr)_12rem_12rem]"
        >
          <span className="font-medium wrap-anywhere">
            <bdi>{source.source}</bdi>
          </span>
          <span className="text-ink-2">
            {source.origin === 'retrieved' ? 'Retrieved by the service' : 'Supplied by the buyer'}
          </span>
          <span className="text-dense">
            <Digest digest={source.digest} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What the check left undone. */
function NotDone({ limitations }: { limitations: readonly string[] }) {
  return (
    <ul className="border-t border-ink">
      {limitations.map((limitation) => (
        <li key={limitation} className="border-b border-line py-2.5">
          {limitation}
        </li>
      ))}
    </ul>
  );
}

function UseOfTheWork({ report }: { report: Report }) {
  return (
    <>
      <p>
        {report.assessed_work_use.human_approval_required
          ? 'A person must approve the work before it is used.'
          : 'This check does not ask for a person’s approval before the work is used.'}
      </p>
      <p className="mt-1 text-ink-2 wrap-anywhere">{report.assessed_work_use.basis}</p>
    </>
  );
}

/** How much was asked for. */
function askedText({ request, criteria }: NonNullable<Evidence['submitted']>): string {
  const count = `${criteria.length} ${criteria.length === 1 ? 'criterion' : 'criteria'}`;
  return request === null ? count : `a request, ${count}`;
}

interface Props {
  /** What becomes of the submitted content, and the report as files. */
  children: ReactNode;
  report: Report;
  sources: readonly SourceEntry[];
  /** What the report answers, while kept. */
  submitted: Evidence['submitted'];
}

/** What stands behind the report: what was not done, checks, sources, use, and what was asked for. */
export function Background({ report, sources, submitted, children }: Props) {
  const checks = report.verification.checks.map(({ status }) => status);
  return (
    <details className="fold-phone mt-4 md:mt-8">
      <summary className="min-h-6 cursor-pointer border-y border-line py-2 text-ui font-medium">
        Behind this report <span className="text-dense font-normal text-ink-3">checks, sources, files</span>
      </summary>
      <div className="-space-y-px">
        <Fold id="limits" title="What was not done" comesTo="nothing outside was confirmed">
          <NotDone limitations={report.limitations} />
        </Fold>
        <Fold id="checks" title="Checks" comesTo={tally('check', checks)}>
          <Checks checks={report.verification.checks} />
          <p className="mt-4 text-dense wrap-anywhere text-ink-3">
            <strong className="font-medium text-ink-2">Method.</strong> {methodText(report.verification.method)}.{' '}
            {report.confidence === undefined ? '' : `${decidedText(report.confidence)}. `}
            <strong className="font-medium text-ink-2">Accuracy of the method.</strong> {measuredText(report.measured)}
          </p>
        </Fold>
        <Fold id="sources" title="Sources" comesTo={sourcesText(report.sources)}>
          <Sources sources={sources} />
        </Fold>
        <Fold
          id="use"
          title="Using the work"
          comesTo={
            report.assessed_work_use.human_approval_required ? 'why a person must approve' : 'no approval asked for'
          }
        >
          <UseOfTheWork report={report} />
        </Fold>
        {submitted && (submitted.request !== null || submitted.criteria.length > 0) ? (
          <Fold id="asked" title="What was asked for" comesTo={askedText(submitted)}>
            <Submitted submitted={submitted} />
          </Fold>
        ) : null}
      </div>
      {children}
    </details>
  );
}

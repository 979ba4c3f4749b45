import type { ReactNode } from 'react';
import { Digest } from '@/components/ui/Digest.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Report, SourceEntry } from '@/server/work-check/contract.ts';
import { Checks } from './Checks.tsx';
import { Citations } from './Citations.tsx';
import { disputeReasonText } from './dispute-words.ts';
import { Findings } from './Findings.tsx';
import { measuredText } from './measured-words.ts';
import { type EvidenceText, PassagePanel } from './PassagePanel.tsx';
import { citedPassages, passageNumbers } from './passages.ts';
import { stateWord } from './states.ts';
import { VerdictSummary } from './VerdictSummary.tsx';
import { WorkView } from './WorkView.tsx';

const columns = 'grid items-start gap-x-10 gap-y-10 lg:grid-cols-[minmax(0,1fr)_27rem]';

function Sources({ sources }: { sources: readonly SourceEntry[] }) {
  return (
    <ul className="mt-4 border-t border-ink">
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

interface CorrectionProps {
  correction: NonNullable<Report['correction']>;
  /** The link to the disputed report. */
  disputed?: string | undefined;
}

function Correction({ correction, disputed }: CorrectionProps) {
  const word = (status: string) => stateWord('finding', status).word.toLowerCase();
  return (
    <section className="mt-10" aria-labelledby="correction">
      <h2 id="correction" className="text-h2">
        What the re-check changed
      </h2>
      <p className="mt-1 text-ink-2">
        The{' '}
        {disputed ? (
          <a href={disputed} className="link">
            first report
          </a>
        ) : (
          'first report'
        )}{' '}
        said “{stateWord('verdict', correction.verdict_before).word}”. It was disputed:{' '}
        {disputeReasonText(correction.reason).toLowerCase()}.
      </p>
      <ul className="mt-4 border-t border-ink">
        {correction.changes.length === 0 ? (
          <li className="border-b border-line py-2.5">No finding changed.</li>
        ) : (
          correction.changes.map((change) => (
            <li key={change.criterion} className="border-b border-line py-2.5 wrap-anywhere">
              <bdi>{change.criterion}</bdi>: {word(change.before)} before, {word(change.after)} now
            </li>
          ))
        )}
      </ul>
    </section>
  );
}

interface NotDoneProps {
  limitations: readonly string[];
  retention: ReactNode;
  action: ReactNode;
}

function NotDone({ limitations, retention, action }: NotDoneProps) {
  return (
    <section aria-labelledby="limits">
      <h2 id="limits" className="text-h2">
        What was not done
      </h2>
      <ul className="mt-4 border-t border-ink">
        {limitations.map((limitation) => (
          <li key={limitation} className="border-b border-line py-2.5">
            {limitation}
          </li>
        ))}
      </ul>
      {retention ? <p className="mt-4 text-dense text-ink-3">{retention}</p> : null}
      {action}
    </section>
  );
}

function UseOfTheWork({ report }: { report: Report }) {
  return (
    <section aria-labelledby="use">
      <h2 id="use" className="text-h2">
        Using the work
      </h2>
      <p className="mt-4 border-t border-ink pt-2.5">
        {report.assessed_work_use.human_approval_required
          ? 'A person must approve the work before it is used.'
          : 'This check does not ask for a person’s approval before the work is used.'}
      </p>
      <p className="mt-1 text-ink-2 wrap-anywhere">{report.assessed_work_use.basis}</p>
    </section>
  );
}

interface Props {
  report: Report;
  /** The submitted work, JSON as a value; null once deleted. */
  work: JsonValue;
  /** The evidence texts; null once deleted. */
  evidence: readonly EvidenceText[] | null;
  /** When the submitted content is or was deleted; undefined where it is not kept. */
  contentEndsAt?: string;
  /** The actions on the submitted content. */
  contentAction?: ReactNode;
  /** The link to the report that this one corrects. */
  disputed?: string | undefined;
}

/** A delivered report: verdict, findings and statements beside their passages, checks, limitations, sources. */
export function ReportView({ report, work, evidence, contentEndsAt, contentAction, disputed }: Props) {
  const passages = citedPassages(report.findings, report.statements);
  const firstPassages = report.statements.map((statement) => passageNumbers(statement, passages)[0] ?? null);
  const sources = [...report.sources.supplied, ...report.sources.independently_retrieved];
  const retention = contentEndsAt ? (
    <>
      The work and the evidence {evidence === null ? 'were' : 'are'} deleted on{' '}
      <Instant at={contentEndsAt} precision="day" />. This report, the receipt and the digests stay.
    </>
  ) : null;
  return (
    <>
      <VerdictSummary report={report} />
      {report.correction ? <Correction correction={report.correction} disputed={disputed} /> : null}
      <Citations passages={passages.length} firstPassages={firstPassages}>
        <div className={`mt-10 ${columns}`}>
          <div className="min-w-0 space-y-12">
            <section aria-labelledby="findings">
              <h2 id="findings" className="text-h2">
                Findings
              </h2>
              <Findings findings={report.findings} statements={report.statements} passages={passages} />
            </section>
            <WorkView statements={report.statements} passages={passages} work={work} />
          </div>
          <section className="panel overflow-hidden lg:sticky lg:top-6 print:static" aria-labelledby="passages">
            <h2 id="passages" className="sr-only">
              Cited passages
            </h2>
            {passages.length > 0 ? (
              <PassagePanel passages={passages} sources={sources} evidence={evidence} />
            ) : (
              <p className="p-4 text-ink-2">No finding and no statement cites a passage of the evidence.</p>
            )}
          </section>
        </div>
      </Citations>
      <div className={`mt-12 ${columns}`}>
        <section aria-labelledby="checks">
          <h2 id="checks" className="text-h2">
            Checks
          </h2>
          <Checks checks={report.verification.checks} />
          <p className="mt-4 text-dense wrap-anywhere text-ink-3">
            <strong className="font-medium text-ink-2">Accuracy of the method.</strong> {measuredText(report.measured)}
          </p>
        </section>
        <NotDone limitations={report.limitations} retention={retention} action={contentAction} />
      </div>
      <div className={`mt-12 ${columns}`}>
        <section aria-labelledby="sources">
          <h2 id="sources" className="text-h2">
            Sources
          </h2>
          <Sources sources={sources} />
        </section>
        <UseOfTheWork report={report} />
      </div>
    </>
  );
}

import type { ReactNode } from 'react';
import { Digest } from '@/components/ui/Digest.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Report, SourceEntry } from '@/server/work-check/contract.ts';
import { Checks } from './Checks.tsx';
import { Citations } from './Citations.tsx';
import { Disagreements } from './Disagreements.tsx';
import { disagreementsOf } from './disagreements.ts';
import { disputeReasonText } from './dispute-words.ts';
import { Findings } from './Findings.tsx';
import { decidedText, measuredText } from './measured-words.ts';
import { type EvidenceText, PassagePanel } from './PassagePanel.tsx';
import { citedPassages, passageNumbers } from './passages.ts';
import { isOnPage, STATEMENTS_ON_A_PAGE, statementPage } from './statement-pages.ts';
import { stateWord, tally } from './states.ts';
import { methodText, sourcesText, VerdictSummary } from './VerdictSummary.tsx';
import { WorkView } from './WorkView.tsx';

const columns = 'grid items-start gap-x-10 gap-y-10 lg:grid-cols-[minmax(0,1fr)_27rem]';

/** A part of the report that few readers need at once: its name and what it comes to, and the rest behind a press. */
function Fold({ id, title, comesTo, children }: { id: string; title: string; comesTo: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <details className="border-y border-line">
        <summary className="cursor-pointer py-2.5">
          <h2 id={id} className="inline text-h3">
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

/** What stands behind the report: checks, what was not done, sources, use. */
function Background({ report, sources }: { report: Report; sources: readonly SourceEntry[] }) {
  const checks = report.verification.checks.map(({ status }) => status);
  const retrieved = report.sources.independently_retrieved.length;
  return (
    <div className="mt-8 -space-y-px">
      <Fold
        id="limits"
        title="What was not done"
        comesTo={`${retrieved === 0 ? 'Nothing was retrieved, nothing ' : 'Nothing '}outside was confirmed`}
      >
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
          report.assessed_work_use.human_approval_required ? 'A person must approve it first' : 'No approval asked for'
        }
      >
        <UseOfTheWork report={report} />
      </Fold>
    </div>
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
  /** The number of a statement to show, with its neighbours, from the address. */
  from?: number;
  /** The digest of this report, where it is not the newest. */
  digest?: string | null;
}

/** A delivered report: verdict, findings and statements beside their passages, checks, limitations, sources. */
export function ReportView({
  report,
  work,
  evidence,
  contentEndsAt,
  contentAction,
  disputed,
  from = 1,
  digest = null,
}: Props) {
  const page = statementPage(from, report.statements.length, digest);
  const passages = citedPassages(report.findings, report.statements);
  const firstPassages = report.statements.map((statement) => passageNumbers(statement, passages)[0] ?? null);
  const disagreements = disagreementsOf(report, work, evidence);
  const listed = disagreements.slice(0, STATEMENTS_ON_A_PAGE);
  const told = new Set(listed.map(({ number }) => number - 1));
  const isHere = (number: number) => isOnPage(number, page) || told.has(number - 1);
  const shown = passages.filter(({ findings, statements }) => findings.length > 0 || statements.some(isHere));
  const sources = [...report.sources.supplied, ...report.sources.independently_retrieved];
  const retention = contentEndsAt ? (
    <>
      The work and the evidence {evidence === null ? 'were' : 'are'} deleted on{' '}
      <Instant at={contentEndsAt} precision="day" />. This report, the receipt and the digests stay.
    </>
  ) : null;
  return (
    <>
      <VerdictSummary report={report} isToldBelow={listed.length > 0} />
      {report.correction ? <Correction correction={report.correction} disputed={disputed} /> : null}
      <Citations passages={passages.length} first={shown[0]?.number ?? 1} page={page} firstPassages={firstPassages}>
        <div className={`mt-8 ${columns}`}>
          <div className="min-w-0 space-y-8">
            <Disagreements
              disagreements={listed}
              statements={report.statements}
              passages={passages}
              more={disagreements.length - listed.length}
            />
            <section aria-labelledby="findings">
              <h2 id="findings" className="text-h2">
                Findings
              </h2>
              <Findings findings={report.findings} statements={report.statements} passages={passages} told={told} />
            </section>
            <WorkView statements={report.statements} passages={passages} work={work} page={page} told={told} />
          </div>
          <section className="panel overflow-hidden lg:sticky lg:top-6 print:static" aria-labelledby="passages">
            <h2 id="passages" className="sr-only">
              Cited passages
            </h2>
            {shown.length > 0 ? (
              <PassagePanel passages={shown} sources={sources} evidence={evidence} />
            ) : (
              <p className="p-4 text-ink-2">No finding and no statement cites a passage of the evidence.</p>
            )}
          </section>
        </div>
      </Citations>
      <Background report={report} sources={sources} />
      {retention ? <p className="mt-4 text-dense text-ink-3">{retention}</p> : null}
      {contentAction}
    </>
  );
}

import type { ReactNode } from 'react';
import { Instant } from '@/components/ui/Instant.tsx';
import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Evidence } from '@/server/purchases/contract.ts';
import type { Report } from '@/server/work-check/contract.ts';
import { Background } from './Background.tsx';
import { Citations, PassageColumn } from './Citations.tsx';
import { Disagreements } from './Disagreements.tsx';
import { disagreementsOf } from './disagreements.ts';
import { disputeReasonText } from './dispute-words.ts';
import { Findings } from './Findings.tsx';
import { type EvidenceText, type OnDemand, PASSAGES_SENT, PassagePanel } from './PassagePanel.tsx';
import { citedPassages, firstPassagesOf } from './passages.ts';
import { isOnPage, STATEMENTS_ON_A_PAGE, statementPage, wholePage } from './statement-pages.ts';
import { stateWord } from './states.ts';
import { VerdictSummary } from './VerdictSummary.tsx';
import { WorkView } from './WorkView.tsx';

const columns = 'grid items-start gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_27rem]';

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

interface Props {
  report: Report;
  /** The submitted work, JSON as a value; null once deleted. */
  work: JsonValue;
  /** The evidence texts; null once deleted. */
  evidence: readonly EvidenceText[] | null;
  /** When the submitted content is or was deleted; undefined where it is not kept. */
  contentEndsAt?: string;
  /** The request and the criteria; null once deleted. */
  submitted?: Evidence['submitted'];
  /** The actions on the submitted content. */
  contentAction?: ReactNode;
  /** The report as files, for a phone: on a wide screen they stand above. */
  files?: ReactNode;
  /** The link to the report that this one corrects. */
  disputed?: string | undefined;
  /** The number of a statement to show, with its neighbours, from the address. */
  from?: number;
  /** The digest of this report, where it is not the newest. */
  digest?: string | null;
  /** Where the texts of further passages are; null sends every text and every statement, for paper. */
  onDemand?: OnDemand | null;
}

/** Whether a page leaves some of the report to another page, or until it is asked for. */
export const isInParts = ({ findings, statements }: Report): boolean =>
  statements.length > STATEMENTS_ON_A_PAGE || citedPassages(findings, statements).length > PASSAGES_SENT;

/** A delivered report: verdict, findings and statements beside their passages, checks, limitations, sources. */
export function ReportView({
  report,
  work,
  evidence,
  contentEndsAt,
  submitted = null,
  contentAction,
  files,
  disputed,
  from = 1,
  digest = null,
  onDemand = null,
}: Props) {
  const count = report.statements.length;
  const page = onDemand ? statementPage(from, count, digest) : wholePage(count, digest);
  const passages = citedPassages(report.findings, report.statements);
  const firstPassages = firstPassagesOf(report.statements, passages);
  const disagreements = disagreementsOf(report, work, evidence);
  const listed = onDemand ? disagreements.slice(0, STATEMENTS_ON_A_PAGE) : disagreements;
  const told = new Set(listed.map(({ number }) => number - 1));
  const isHere = (number: number) => isOnPage(number, page) || told.has(number - 1);
  const shown = passages.filter(({ findings, statements }) => findings.length > 0 || statements.some(isHere));
  const sources = [...report.sources.supplied, ...report.sources.independently_retrieved];
  const retention = contentEndsAt ? (
    <>
      The work and the evidence {evidence === null ? 'were' : 'are'} deleted on{' '}
      <Instant at={contentEndsAt} precision="day" />. The report stays.
    </>
  ) : null;
  return (
    <>
      <VerdictSummary report={report} isToldBelow={listed.length > 0} />
      {report.correction ? <Correction correction={report.correction} disputed={disputed} /> : null}
      <Citations passages={passages.length} first={shown[0]?.number ?? 1} page={page} firstPassages={firstPassages}>
        <div className={`mt-5 md:mt-8 ${columns}`}>
          <div className="min-w-0 space-y-5 md:space-y-8">
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
          <PassageColumn>
            {shown.length > 0 ? (
              <PassagePanel passages={shown} sources={sources} evidence={evidence} onDemand={onDemand} />
            ) : (
              <p className="p-4 text-ink-2">No finding and no statement cites a passage of the evidence.</p>
            )}
          </PassageColumn>
        </div>
      </Citations>
      <Background report={report} sources={sources} submitted={submitted}>
        {files ? <div className="mt-3 md:hidden">{files}</div> : null}
        {retention ? <p className="mt-3 text-dense text-ink-3">{retention}</p> : null}
      </Background>
      {contentAction}
    </>
  );
}

import { Download, Info, Printer } from 'lucide-react';
import type { Metadata } from 'next';
import { cache } from 'react';
import { DeleteContent } from '@/components/forms/DeleteContent.tsx';
import { KeepPlace } from '@/components/forms/KeepPlace.tsx';
import { ReviewButtons } from '@/components/forms/Review.tsx';
import { nameOf } from '@/components/identity/AgentList.tsx';
import type { EvidenceText, OnDemand } from '@/components/purchases/PassagePanel.tsx';
import { isInParts, ReportView } from '@/components/purchases/ReportView.tsx';
import { ReviewBar, ReviewDetail } from '@/components/purchases/ReviewBar.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { PrintButton, PrintElsewhere } from '@/components/ui/PrintButton.tsx';
import { type JsonValue, parsedIfJson } from '@/server/kernel/json-value.ts';
import { type ProblemCode, problems } from '@/server/problems/catalogue.ts';
import type { Evidence, Job } from '@/server/purchases/contract.ts';
import { isEnded, mayDispute } from '@/server/purchases/states.ts';
import { titleOf } from '@/server/purchases/title.ts';
import type { Report } from '@/server/work-check/contract.ts';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { noticeAt } from '../../notice.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { visitorMay } from '../../visitor-may.ts';
import { NotDelivered } from './NotDelivered.tsx';

/** The job and its submitted content, read once for page and title; null when nobody is signed in. */
const readJob = cache(async (job_key: string) => {
  const { ctx } = await memberContext();
  const job = await readForMember('job', ctx, { job_key });
  const evidence = job && (await readForMember('evidence', ctx, { job_key }));
  return evidence && { job, evidence };
});

export async function generateMetadata({ params }: Pick<Props, 'params'>): Promise<Metadata> {
  const found = await readJob((await params).job_key).catch(() => null);
  return { title: titleOf(found?.evidence.submitted?.request) ?? 'Report' };
}

/** The kept texts; null once deleted. */
function keptTexts(evidence: Evidence): EvidenceText[] | null {
  if (evidence.deleted_at !== null) return null;
  return evidence.items.flatMap(({ ref, text }) => (text === null ? [] : [{ ref, text }]));
}

interface Shown {
  job: Job;
  /** The reader is the buying wallet, which has no page of its own. */
  isOwnWallet: boolean;
  evidence: Evidence;
  /** The digest of the shown report, unless it is the newest. */
  earlier: string | null;
  /** The page with the whole report; null where this one has it. */
  whole: string | null;
}

function Heading({ job, evidence, earlier, isOwnWallet, whole }: Shown) {
  const isRechecked = job.timeline.some(({ event }) => event === 'redeliver');
  const event = isRechecked && earlier === null ? 'redeliver' : 'deliver';
  const delivered = job.timeline.findLast((entry) => entry.event === event);
  const kind = earlier ? 'First report' : isRechecked ? 'Re-checked report' : 'Report';
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-dense text-ink-3">
          <a href="/purchases" className="link inline-flex min-h-6 items-center">
            Purchases
          </a>{' '}
          <span aria-hidden="true">/</span> <Key>{job.job_key}</Key>
        </p>
        <h1 className="mt-1 text-h2 wrap-anywhere max-md:line-clamp-2 md:text-h1">
          <bdi>{titleOf(evidence.submitted?.request) ?? kind}</bdi>
        </h1>
        <p className="mt-1 text-ink-2">
          {kind} bought by{' '}
          {isOwnWallet ? (
            <Key>{evidence.bought_by.agent_key}</Key>
          ) : (
            <a href={`/agents/${evidence.bought_by.agent_key}`} className="link wrap-anywhere">
              <bdi>{nameOf(evidence.bought_by)}</bdi>
            </a>
          )}
          {delivered ? (
            <>
              , delivered <Instant at={delivered.at} />
            </>
          ) : null}
          .
        </p>
      </div>
      <div className="mt-1 max-md:hidden">
        <Files jobKey={job.job_key} earlier={earlier} whole={whole} />
      </div>
    </div>
  );
}

/** The report as files, and on paper. */
function Files({ jobKey, earlier, whole }: { jobKey: string } & Pick<Shown, 'earlier' | 'whole'>) {
  const files = `/reports/${jobKey}/report`;
  const query = earlier === null ? '' : `?report_digest=${earlier}`;
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      <a className="btn max-md:btn-sm" href={`${files}.md${query}`} download>
        <Download className="icon" />
        Markdown
      </a>
      <a className="btn max-md:btn-sm" href={`${files}.json${query}`} download>
        <Download className="icon" />
        JSON
      </a>
      {whole === null ? (
        <PrintButton icon={<Printer className="icon" />} />
      ) : (
        <PrintElsewhere icon={<Printer className="icon" />} address={whole} />
      )}
    </div>
  );
}

const decisions: Record<string, string> = {
  report_accepted: 'You accepted the report.',
  report_disputed: 'You disputed the report.',
};

/** A notice above the report: it was just reviewed, it was replaced, or something was refused. */
function Notice({ job, earlier, told: problem }: Pick<Shown, 'job' | 'earlier'> & { told: string | null }) {
  const decision = decisions[problem ?? ''];
  if (decision !== undefined)
    // Sticky: the page stays where it was, and this is seen there.
    return (
      <p role="status" className="notice tone-settled sticky top-2 z-10 mt-6 print:static">
        <Info className="icon" />
        <span>
          <strong className="font-medium">{decision}</strong> <ReviewDetail job={job} />
        </span>
      </p>
    );
  if (problem !== null && Object.hasOwn(problems, problem)) {
    const { title } = problems[problem as ProblemCode];
    return (
      <p role="alert" className="notice tone-attention mt-6">
        <Info className="icon" />
        <span>{title}. Nothing was changed.</span>
      </p>
    );
  }
  if (earlier === null) return null;
  return (
    <p className="notice mt-6">
      <Info className="icon" />
      <span>
        This report was disputed, and another one took its place.{' '}
        <a href={`/reports/${job.job_key}`} className="link">
          Read the re-checked report
        </a>
      </span>
    </p>
  );
}

interface Props {
  params: Promise<{ job_key: string }>;
  searchParams: Promise<Partial<Record<'report_digest' | 'statements' | 'whole', string | string[]>>>;
}

/** The digest of the report that the address names, unless it is the newest. */
const earlierOf = (job: Job, asked: string | string[] | undefined): string | null =>
  typeof asked === 'string' && asked !== job.report_digest ? asked : null;

/** Where the page leaves out what else there is, and the page with the whole report; null for a page that has it. */
function onDemandOf(jobKey: string, report: Report, earlier: string | null, asked: unknown): OnDemand | null {
  if (asked !== undefined || !isInParts(report)) return null;
  const page = `/reports/${jobKey}`;
  const digest = earlier === null ? {} : { report_digest: earlier };
  return { address: `${page}/passage`, whole: `${page}?${new URLSearchParams({ ...digest, whole: 'yes' })}` };
}

/** Whether the report that is shown may be reviewed now: the newest one. */
const isUpForReview = (job: Job, earlier: string | null): boolean =>
  earlier === null && job.next_actions.some(({ action }) => action === 'review');

/** A job's report for members of the buying account: the newest, or the one with the requested digest. */
export default show(async ({ params, searchParams }: Props) => {
  const [{ job_key }, { report_digest, statements, whole }] = await Promise.all([params, searchParams]);
  const found = await readJob(job_key);
  if (!found?.job) return <SignInNeeded to="read this report" next={`/reports/${job_key}`} />;
  const { job, evidence } = found;
  const { ctx, wallet } = await memberContext();
  const may = await visitorMay();
  const isDeletable = evidence.deleted_at === null && isEnded(job.state);
  const contentAction = isDeletable && may('delete_content') ? <DeleteContent jobKey={job.job_key} /> : null;
  const told = await noticeAt(`/reports/${job_key}`);
  if (job.report_digest === null) return <NotDelivered job={job} contentAction={contentAction} told={told} />;
  const earlier = earlierOf(job, report_digest);
  const report = await readForMember('report', ctx, { job_key, report_digest: earlier ?? job.report_digest });
  if (report === null) return <SignInNeeded to="read this report" next={`/reports/${job_key}`} />;
  const onDemand = onDemandOf(job_key, report, earlier, whole);
  const files = { earlier, whole: onDemand?.whole ?? null };
  const mayReview = may('review') && isUpForReview(job, earlier);
  return (
    <>
      <div className="mx-auto max-w-page px-4 pt-4 pb-2 md:px-6 md:pt-8 md:pb-12">
        <Heading job={job} evidence={evidence} isOwnWallet={wallet !== null} {...files} />
        <Notice job={job} earlier={earlier} told={told} />
        <KeepPlace restores={told !== null} />
        <div className="mt-4 md:mt-6">
          <ReportView
            report={report}
            work={parsedIfJson((evidence.submitted?.work_product ?? null) as JsonValue)}
            evidence={keptTexts(evidence)}
            from={Number(statements ?? 1)}
            digest={earlier}
            onDemand={onDemand}
            contentEndsAt={evidence.deleted_at ?? evidence.delete_after}
            submitted={evidence.submitted}
            contentAction={contentAction}
            files={<Files jobKey={job.job_key} {...files} />}
            disputed={
              report.correction && `/reports/${job.job_key}?report_digest=${report.correction.previous_report_digest}`
            }
          />
        </div>
      </div>
      <ReviewBar job={job}>
        <a className="btn" href={`/receipts/${job.job_key}`}>
          View receipt
        </a>
        {mayReview ? (
          <ReviewButtons
            jobKey={job.job_key}
            digest={job.report_digest}
            mayDispute={mayDispute({ review_state: job.review_state })}
          />
        ) : null}
      </ReviewBar>
    </>
  );
});

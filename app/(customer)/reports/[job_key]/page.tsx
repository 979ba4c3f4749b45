import { Download } from 'lucide-react';
import type { Metadata } from 'next';
import type { EvidenceText } from '@/components/purchases/PassagePanel.tsx';
import { ReportView } from '@/components/purchases/ReportView.tsx';
import { ReviewBar } from '@/components/purchases/ReviewBar.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { PrintButton } from '@/components/ui/PrintButton.tsx';
import type { Evidence, Job } from '@/server/purchases/contract.ts';
import { memberContext } from '../../member.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { NotDelivered } from './NotDelivered.tsx';

export const metadata: Metadata = { title: 'Report' };

/** The texts while they are kept, null once any of them is gone. */
function keptTexts(evidence: Evidence): EvidenceText[] | null {
  const kept = evidence.items.flatMap(({ ref, text }) => (text === null ? [] : [{ ref, text }]));
  return kept.length === evidence.items.length ? kept : null;
}

function Heading({ job }: { job: Job }) {
  const delivered = job.timeline.findLast((entry) => entry.event === 'deliver');
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-4">
      <div className="min-w-0 flex-1 basis-80">
        <h1 className="text-h1">Report</h1>
        <p className="mt-1 text-ink-2">
          On job <Key>{job.job_key}</Key>
          {delivered ? (
            <>
              , delivered <Instant at={delivered.at} />
            </>
          ) : null}
          .
        </p>
      </div>
      <div className="flex flex-wrap gap-2 md:mt-1 print:hidden">
        <a className="btn" href={`/reports/${job.job_key}/report.md`} download>
          <Download className="icon" />
          Markdown
        </a>
        <a className="btn" href={`/reports/${job.job_key}/report.json`} download>
          <Download className="icon" />
          JSON
        </a>
        <PrintButton />
      </div>
    </div>
  );
}

/** The report of a job, for members of the account that bought it. */
export default async function ReportPage({ params }: { params: Promise<{ job_key: string }> }) {
  const { job_key } = await params;
  const { ctx } = await memberContext();
  const job = await readForMember('job', ctx, { job_key });
  if (job === null) return <SignInNeeded what="report" />;
  if (job.report_digest === null) return <NotDelivered job={job} />;
  const [report, evidence] = await Promise.all([
    readForMember('report', ctx, { job_key }),
    readForMember('evidence', ctx, { job_key }),
  ]);
  if (report === null || evidence === null) return <SignInNeeded what="report" />;
  return (
    <>
      <div className="mx-auto max-w-page px-4 pt-6 pb-12 md:px-6 md:pt-8">
        <Heading job={job} />
        <div className="mt-6">
          <ReportView
            report={report}
            evidence={keptTexts(evidence)}
            contentEndsAt={evidence.deleted_at ?? evidence.delete_after}
          />
        </div>
      </div>
      <ReviewBar
        review={{
          review_state: job.review_state,
          charge_state: job.charge_state,
          price_microcents: job.price.amount_microcents,
          review_by: job.deadlines.review_by,
        }}
      >
        <a className="btn" href={`/receipts/${job.job_key}`}>
          View receipt
        </a>
      </ReviewBar>
    </>
  );
}

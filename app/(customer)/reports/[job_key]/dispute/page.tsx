import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { Dispute } from '@/components/forms/Dispute.tsx';
import { NotYours } from '@/components/ui/NotYours.tsx';
import { type ProblemCode, problems } from '@/server/problems/catalogue.ts';
import { maxDetail } from '@/server/purchases/contract.ts';
import { show } from '../../../../show.tsx';
import { memberContext } from '../../../member.ts';
import { noticeAt } from '../../../notice.ts';
import { readForMember } from '../../../read.ts';
import { SignInNeeded } from '../../../SignInNeeded.tsx';
import { visitorMay } from '../../../visitor-may.ts';
import { type Typed, typedIn } from '../typed.ts';

export const metadata: Metadata = { title: 'Dispute' };

interface Props {
  params: Promise<{ job_key: string }>;
  searchParams: Promise<Typed>;
}

/** Asks a member why they dispute a report. Shows the report if it cannot be disputed now. */
export default show(async ({ params, searchParams }: Props) => {
  const { job_key } = await params;
  const here = `/reports/${job_key}/dispute`;
  const { ctx } = await memberContext();
  const job = await readForMember('job', ctx, { job_key });
  if (job === null) return <SignInNeeded to="dispute this report" next={here} />;
  if (job.review_state !== 'open') redirect(`/reports/${job.job_key}`);
  if (!(await visitorMay())('review')) {
    return <NotYours act="reviewing a report" back={{ href: `/reports/${job.job_key}`, label: 'Read the report' }} />;
  }
  const told = await noticeAt(here);
  const isKnown = told !== null && Object.hasOwn(problems, told);
  return (
    <Dispute
      job={job}
      detailMax={maxDetail}
      readsReason={ctx.runtime.configuration.assessor.length > 0}
      typed={typedIn(await searchParams)}
      problem={isKnown ? `${problems[told as ProblemCode].title}. Nothing was changed.` : null}
    />
  );
});

import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { Dispute } from '@/components/forms/Dispute.tsx';
import { maxDetail } from '@/server/purchases/contract.ts';
import { memberContext } from '../../../member.ts';
import { readForMember } from '../../../read.ts';
import { SignInNeeded } from '../../../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Dispute' };

/** Asks a member for the reason of a dispute. A report that cannot be disputed now is shown instead. */
export default async function DisputePage({ params }: { params: Promise<{ job_key: string }> }) {
  const { job_key } = await params;
  const { ctx } = await memberContext();
  const job = await readForMember('job', ctx, { job_key });
  if (job === null) return <SignInNeeded to="read this report" />;
  if (job.review_state !== 'open') redirect(`/reports/${job.job_key}`);
  return <Dispute job={job} detailMax={maxDetail} />;
}

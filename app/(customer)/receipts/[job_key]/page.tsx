import { Download, Printer } from 'lucide-react';
import type { Metadata } from 'next';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { ReceiptView } from '@/components/purchases/ReceiptView.tsx';
import { PrintButton } from '@/components/ui/PrintButton.tsx';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { visitorMay } from '../../visitor-may.ts';
import { NothingCollected } from './NothingCollected.tsx';

export const metadata: Metadata = { title: 'Receipt' };

/** A job's newest receipt and the chain that it ends, for members of the buying account. */
export default show(async ({ params }: { params: Promise<{ job_key: string }> }) => {
  const { job_key } = await params;
  const { ctx, email, wallet } = await memberContext();
  const chain = await readForMember('receipt_chain', ctx, { job_key });
  if (chain === null) return <SignInNeeded to="read this receipt" next={`/receipts/${job_key}`} />;
  const newest = chain.receipts.at(-1);
  if (newest === undefined) return <NothingCollected jobKey={job_key} />;
  const [job, evidence, books] = await Promise.all([
    readForMember('job', ctx, { job_key }),
    readForMember('evidence', ctx, { job_key }),
    readForMember('bookkeeping', ctx, { job_key, view: 'figures' }),
  ]);
  const line = books?.receipts[0];
  if (job === null || evidence === null || line === undefined)
    return <SignInNeeded to="read this receipt" next={`/receipts/${job_key}`} />;
  const may = await visitorMay();
  return (
    <div className="mx-auto max-w-page px-4 pt-6 pb-12 md:px-6 md:pt-8">
      <div className="mb-5 flex flex-wrap items-center gap-2 print:hidden">
        {newest.report_digest ? (
          <a href={`/reports/${job_key}`} className="btn">
            Read the report
          </a>
        ) : null}
        <div className="flex flex-wrap gap-2 md:ml-auto">
          <PrintButton icon={<Printer className="icon" />} />
          <a className="btn" href={`/receipts/${job_key}/receipt.json`} download>
            <Download className="icon" />
            JSON
          </a>
          {evidence.submitted ? (
            <a className="btn" href={`/receipts/${job_key}/purchase.json`} download>
              <Download className="icon" />
              Purchase to verify
            </a>
          ) : null}
        </div>
      </div>
      <ReceiptView
        receipt={newest}
        chain={chain.receipts}
        books={line}
        reader={{ contact: email ?? wallet ?? '', agent: nameOf(evidence.bought_by) }}
        askBuyer={email !== null && may('change_billing') ? '/account#billing' : null}
        period={{ from: job.created_at, to: newest.issued_at }}
      />
    </div>
  );
});

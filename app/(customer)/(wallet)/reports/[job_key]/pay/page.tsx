import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { Price } from '@/components/purchases/Price.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { WalletPay } from '@/components/wallet/WalletPay.tsx';
import { show } from '../../../../../show.tsx';
import { memberContext } from '../../../../member.ts';
import { readForMember } from '../../../../read.ts';
import { SignInNeeded } from '../../../../SignInNeeded.tsx';

export const metadata: Metadata = { title: 'Pay' };

/** A wallet's owner pays for a job. Redirects to the job if it cannot be paid now. */
export default show(async ({ params }: { params: Promise<{ job_key: string }> }) => {
  const { job_key } = await params;
  const { ctx } = await memberContext();
  const job = await readForMember('job', ctx, { job_key });
  const quote = job && (await readForMember('purchase', ctx, { quote_key: job.quote_key }));
  if (!job || !quote) return <SignInNeeded to="pay for this check" next={`/reports/${job_key}/pay`} />;
  const report = `/reports/${job.job_key}`;
  const networks = quote.rails.find(({ rail }) => rail === 'x402')?.networks ?? [];
  const pay = job.next_actions.find(({ action }) => action === 'pay');
  if (!pay || networks.length === 0 || !job.payable_by.includes('x402')) redirect(report);
  return (
    <div className="mx-auto max-w-decision px-4 py-8 md:py-14">
      <h1 className="text-h1">
        Pay <Price microcents={job.price.amount_microcents} />
      </h1>
      <p className="mt-2 text-body text-ink-2">
        Your wallet signs one transfer of exactly this amount in USDC, then the check starts. You pay no gas.
      </p>
      <dl className="facts mt-6 border-t border-ink">
        <dt>Job</dt>
        <dd>
          <Key>{job.job_key}</Key>
        </dd>
        <dt>Pay by</dt>
        <dd>
          <Instant at={job.deadlines.pay_by} />
        </dd>
      </dl>
      <div className="mt-6">
        <WalletPay
          primary
          bill={{
            address: `/api/agent/v1/jobs/${job.job_key}/payments`,
            body: { rail: 'x402', idempotency_key: `page-${job.job_key}` },
            microcents: job.price.amount_microcents,
          }}
          networks={networks}
          outcome={report}
        />
      </div>
      <p className="mt-4 text-dense text-ink-3">
        If no report is delivered, the payment becomes wallet credit and is not returned to the wallet.
      </p>
    </div>
  );
});

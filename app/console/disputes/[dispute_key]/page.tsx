import type { ReactNode } from 'react';
import { Moment } from '@/components/console/Moment.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may, neededFor } from '@/server/operation/operator-roles.ts';
import { show } from '../../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../../operator.ts';
import { Told } from '../../Told.tsx';

export const generateMetadata = titled('Dispute');

const readDispute = (dispute_key: string) => readForOperator('console_dispute', { dispute_key });

/** A dispute with the evidence for its bank, and the form that sends it. */
export default show(async ({ params }: { params: Promise<{ dispute_key: string }> }) => {
  const { dispute_key } = await params;
  const dispute = await readDispute(dispute_key);
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  const page = `/console/disputes/${dispute_key}`;
  const obstacle = may(role, 'answer_dispute') ? dispute.obstacle : `${neededFor('answer_dispute')}.`;
  return (
    <div className="max-w-read space-y-8">
      <div>
        <Told page={page} done="Answered. The bank decides now." />
        <h1 className="text-h1 wrap-anywhere">
          Dispute <Key>{dispute_key}</Key>
        </h1>
        <dl className="mt-4 grid gap-x-6 gap-y-2 text-dense sm:grid-cols-[auto_minmax(0,1fr)]">
          <Fact name="Purchase">
            <a className="link wrap-anywhere" href={`/console/purchases/${dispute.job_key}`}>
              <Key>{dispute.job_key}</Key>
            </a>
          </Fact>
          <Fact name="Customer">
            <a className="link wrap-anywhere" href={`/console/customers/${dispute.account_key}`}>
              <Key>{dispute.account_key}</Key>
            </a>{' '}
            {dispute.block_key ? (
              <>
                is{' '}
                <a className="link" href={`/console/blocks/${dispute.block_key}`}>
                  blocked
                </a>
              </>
            ) : (
              'is not blocked by it'
            )}
          </Fact>
          <Fact name="Contested">
            {dispute.amount_microcents === null ? (
              'Amount not known yet'
            ) : (
              <Price microcents={dispute.amount_microcents} />
            )}
            , {(dispute.reason ?? 'no reason given').replaceAll('_', ' ')}
          </Fact>
          <Fact name="Taken by the bank">
            <Price microcents={dispute.withdrawn_microcents} />, fee <Price microcents={dispute.fee_microcents} />
          </Fact>
          {(
            [
              ['Opened', dispute.opened_at],
              ['Answer by', dispute.respond_by],
              ['Answered', dispute.answered_at],
              [`Ended${dispute.outcome ? `, ${dispute.outcome}` : ''}`, dispute.closed_at],
            ] as const
          ).map(([name, at]) =>
            at ? (
              <Fact key={name} name={name}>
                <Moment at={at} now={ctx.now} />
              </Fact>
            ) : null,
          )}
        </dl>
      </div>
      <Answer page={page} obstacle={obstacle} refusal={dispute.evidence.refusal} />
      <Evidence evidence={dispute.evidence} />
    </div>
  );
});

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function Answer({ page, obstacle, refusal }: { page: string; obstacle: string | null; refusal: string }) {
  if (obstacle !== null) {
    return (
      <section aria-labelledby="answer">
        <h2 id="answer" className="text-h2">
          Answer
        </h2>
        <p className="mt-2 text-ink-2">Not possible now: {obstacle}</p>
      </section>
    );
  }
  return (
    <section aria-labelledby="answer">
      <h2 id="answer" className="text-h2">
        Answer
      </h2>
      <p className="mt-2 text-ink-2">The bank accepts one answer. It is sent with the evidence below.</p>
      <form action={`${page}/answer`} method="post" className="mt-4 space-y-4">
        <div>
          <label className="label" htmlFor="statement">
            Why the charge stands
          </label>
          <textarea
            id="statement"
            name="statement"
            rows={4}
            required
            maxLength={5_000}
            defaultValue={refusal}
            className="field block py-2"
          />
        </div>
        <div>
          <label className="label" htmlFor="reason">
            Reason
          </label>
          <div className="field">
            <input
              id="reason"
              name="reason"
              required
              maxLength={500}
              autoComplete="off"
              aria-describedby="reason-hint"
            />
          </div>
          <p id="reason-hint" className="hint">
            Recorded in the audit log with your name. The bank does not see it.
          </p>
        </div>
        <button type="submit" className="btn btn-primary">
          Send to the bank
        </button>
      </form>
    </section>
  );
}

const names = {
  product: 'What was sold',
  email: "The customer's address",
  deliveredOn: 'Day of the report',
  activity: 'What happened',
  record: 'Reports and receipts',
  refundPolicy: 'Refund policy',
} as const;

function Evidence({ evidence }: { evidence: Awaited<ReturnType<typeof readDispute>>['evidence'] }) {
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence" className="text-h2">
        Evidence
      </h2>
      <p className="mt-2 text-dense text-ink-3">
        Taken from the purchase record. It contains none of the submitted work.
      </p>
      <dl className="mt-3 border-t border-ink text-dense">
        {(Object.keys(names) as (keyof typeof names)[]).map((name) => (
          <div key={name} className="border-b border-line py-2.5">
            <dt className="font-medium">{names[name]}</dt>
            <dd className="whitespace-pre-wrap wrap-anywhere text-ink-2">{evidence[name] || 'Nothing recorded'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

import { disputeReasonWords } from '@/components/purchases/dispute-words.ts';
import { Price } from '@/components/purchases/Price.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import type { Job } from '@/server/purchases/contract.ts';

interface Props {
  job: Job;
  detailMax: number;
  /** Whether the assessor reads the reason. Rules do not. */
  readsReason: boolean;
  /** What was typed before a refusal. */
  typed: { reason: string; detail: string };
  /** Why it was refused. */
  problem: string | null;
}

/** A reason from the list and, optionally, the reader's own words. Works without scripts. */
export function Dispute({ job, detailMax, readsReason, typed, problem }: Props) {
  const isSecond = job.state === 'redelivered';
  const price = <Price microcents={job.price.amount_microcents} />;
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-20">
      <div className="panel p-6 md:p-8">
        <h1 className="text-h1">{isSecond ? 'Dispute the corrected report?' : 'Dispute this report?'}</h1>
        <p className="mt-2 text-body text-ink-2">
          On job <Key>{job.job_key}</Key>.{' '}
          {isSecond ? (
            <>The included re-check has been used. The charge of {price} is waived, and the collection goes back.</>
          ) : (
            <>
              The work is checked once more at no further cost.{' '}
              {readsReason
                ? 'The check is given your reason and your words.'
                : 'It applies the same rules to the same material. Your reason and your words are kept with the dispute, but do not change how the check works.'}{' '}
              {price} stays held until then.
            </>
          )}
        </p>
        {problem === null ? null : (
          <div className="mt-6">
            <Notice tone="attention">{problem}</Notice>
          </div>
        )}
        <form action={`/reports/${job.job_key}/review`} method="post" className="mt-6 space-y-6">
          <input type="hidden" name="decision" value="dispute" />
          <input type="hidden" name="report_digest" value={job.report_digest ?? ''} />
          <Reasons typed={typed.reason} />
          <div>
            <label className="label" htmlFor="detail">
              In your words{' '}
              <span className="font-normal text-ink-3">
                optional, up to {detailMax.toLocaleString('en-US')} characters
              </span>
            </label>
            <textarea
              id="detail"
              name="detail"
              rows={4}
              maxLength={detailMax}
              defaultValue={typed.detail}
              className="field block py-2"
            />
          </div>
          <div className="answers">
            <a href={`/reports/${job.job_key}`} className="btn btn-lg">
              Back
            </a>
            <button type="submit" className="btn btn-primary btn-lg px-2!">
              Dispute report
            </button>
          </div>
        </form>
      </div>
    </div>
  );
}

function Reasons({ typed }: { typed: string }) {
  return (
    <fieldset>
      <legend className="label">What is wrong?</legend>
      {Object.entries(disputeReasonWords).map(([reason, words]) => (
        <label key={reason} className="flex min-h-8 items-center gap-3">
          <input
            type="radio"
            name="reason"
            value={reason}
            required
            className="check"
            defaultChecked={reason === typed}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

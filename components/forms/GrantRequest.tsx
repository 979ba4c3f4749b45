import type { ReactNode } from 'react';
import { amountText } from '@/components/purchases/Price.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import { lasting } from '@/server/service/terms.ts';
import { FreshSignIn } from './FreshSignIn.tsx';
import { type GrantValues, LimitFields, PermissionFields, type Rails } from './GrantFields.tsx';
import { TwoAnswers } from './TwoAnswers.tsx';

interface Props {
  action: string;
  hidden: Readonly<Record<string, string>>;
  steps: readonly [limits: string, permissions: string];
  /** What is asked for, and the ways to pay that there are. */
  asked: { requested_grant: GrantTerms; rails: Rails };
  values: GrantValues;
  /** Why the last try was refused. */
  refused: string | null;
  /** This page with what was typed, to come back to. */
  next: string;
  /** Who asks. */
  children: ReactNode;
}

/** Who asks, and beside it the limits to set before approving or denying. */
export function GrantRequest({ children, ...rest }: Props) {
  return (
    <div className="mx-auto max-w-page px-4 py-8 md:px-6 md:py-14">
      <div className="grid gap-x-20 gap-y-8 lg:grid-cols-[22rem_minmax(0,1fr)]">
        {children}
        <Decision {...rest} />
      </div>
    </div>
  );
}

/** The grant as a form: whoever asks gets what is set here, or nothing. */
function Decision({ action, hidden, steps, asked, values, refused, next }: Omit<Props, 'children'>) {
  const { requested_grant: requested, rails } = asked;
  return (
    <form action={action} method="post" className="panel self-start">
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <fieldset className="p-5 md:p-6">
        <legend className="float-left mb-4 w-full text-h3">{steps[0]}</legend>
        <div className="clear-both">
          <LimitFields
            values={values}
            hints={{
              per_check: `Requested ${amountText(requested.per_job_limit_microcents)}`,
              per_day: `Requested ${amountText(requested.daily_limit_microcents)}. Resets at 00:00 UTC`,
              in_total:
                requested.total_limit_microcents === null
                  ? 'Requested no limit. Leave empty for none'
                  : `Requested ${amountText(requested.total_limit_microcents)}`,
            }}
          />
        </div>
      </fieldset>
      <fieldset className="border-t border-line p-5 md:p-6">
        <legend className="float-left mb-3 w-full text-h3">{steps[1]}</legend>
        <div className="clear-both">
          <PermissionFields values={values} rails={rails} mayAsk />
        </div>
      </fieldset>
      <div className="border-t border-line p-5 md:p-6">
        {refused === 'fresh_sign_in_required' ? (
          <div className="mb-4">
            <FreshSignIn next={next} />
          </div>
        ) : null}
        <TwoAnswers no={['deny', 'Deny']} />
        <p className="mt-3 text-dense text-ink-3">
          Every member of the account gets a letter about your decision. To approve, you must have signed in within the
          last {lasting('freshSignIn')}.
        </p>
      </div>
    </form>
  );
}

/** A name as whoever asks gave it, in a list of facts. */
export function GivenName({ name, by }: { name: string; by: 'agent' | 'client' }) {
  return (
    <dd>
      <span className="wrap-anywhere">{name}</span>
      <br />
      <span className="text-ink-3">Name given by the {by}, not verified</span>
    </dd>
  );
}

/** Until when a request can be decided, and under which terms, in a list of facts. */
export function EndAndTerms({ expires_at, terms_version }: { expires_at: string; terms_version: string }) {
  return (
    <>
      <dt>Ends</dt>
      <dd>
        <Instant at={expires_at} />
      </dd>
      <dt>Terms</dt>
      <dd>
        <a href="/terms" className="link">
          Version {terms_version}
        </a>
      </dd>
    </>
  );
}

import { amountText } from '@/components/purchases/Price.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import type { Connection } from '@/server/identity/member-contract.ts';
import { lasting } from '@/server/service/terms.ts';
import { Software } from '../identity/Software.tsx';
import { FreshSignIn } from './FreshSignIn.tsx';
import { type GrantValues, LimitFields, PermissionFields, type Rails } from './GrantFields.tsx';

/** A member types the agent's code, which proves that the agent is theirs. */
export function CodeForm({ typed, error }: { typed: string; error: string | null }) {
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        <h1 className="text-h1">Connect an agent</h1>
        <p className="mt-2 text-body text-ink-2">
          Your agent shows a code, such as <Key>KX4P-7RTM</Key>. Type it here to see what the agent asks for. This does
          not approve anything yet.
        </p>
        <form action="/connect" method="get" className="mt-6">
          <label className="label" htmlFor="code">
            The code that your agent shows
          </label>
          <div className="field">
            <input
              id="code"
              name="code"
              className="font-mono"
              autoComplete="one-time-code"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={16}
              required
              defaultValue={typed}
              aria-describedby="code-hint"
              aria-invalid={error !== null || undefined}
            />
          </div>
          <p id="code-hint" className={error === null ? 'hint' : 'error'}>
            {error ?? `A code works for ${lasting('registrationCode')}. The agent must have given your e-mail address.`}
          </p>
          <button type="submit" className="btn btn-primary btn-lg mt-4 w-full">
            See the request
          </button>
        </form>
      </div>
    </div>
  );
}

interface Props {
  asked: Connection;
  values: GrantValues;
  /** Why the last try was refused. */
  refused: string | null;
  /** This page with what was typed, to come back to. */
  next: string;
}

/** Who asks, from where, and the limits to set, before approving or denying. */
export function ConnectAgent(props: Props) {
  return (
    <div className="mx-auto max-w-page px-4 py-8 md:px-6 md:py-14">
      <div className="grid gap-x-20 gap-y-8 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <Asked asked={props.asked} />
        <Decision {...props} />
      </div>
    </div>
  );
}

function Asked({ asked }: Pick<Props, 'asked'>) {
  return (
    <div>
      <h1 className="text-h1">Connect this agent to your account?</h1>
      <p className="mt-3 text-body text-ink-2">
        Approving lets it buy checks on this account, within the limits you set here.
      </p>
      <section className="mt-6 border-t border-ink pt-4" aria-labelledby="match">
        <h2 id="match" className="text-h3">
          1. Compare the code
        </h2>
        <output className="mt-2 block font-mono text-h1 font-medium">{asked.user_code}</output>
        <p className="mt-2 text-ink-2">
          Your agent shows this code too. If it shows a different one, or you did not start this, deny the request.
        </p>
      </section>
      <dl className="facts mt-6 text-dense">
        <dt>Agent</dt>
        <dd>
          <span className="wrap-anywhere">{asked.agent.name}</span>
          <br />
          <span className="text-ink-3">Name given by the agent, not verified</span>
        </dd>
        <Software name={asked.agent.software} />
        <dt>Asked</dt>
        <dd>
          <Instant at={asked.created_at} />
        </dd>
        <dt>From</dt>
        <dd>
          <Key>{asked.origin}</Key>
        </dd>
        <dt>Ends</dt>
        <dd>
          <Instant at={asked.expires_at} />
        </dd>
        <dt>Terms</dt>
        <dd>
          <a href="/terms" className="link">
            Version {asked.terms_version}
          </a>
        </dd>
      </dl>
    </div>
  );
}

function Decision({ asked, values, refused, next }: Props) {
  return (
    <GrantDecision
      action="/connect/decision"
      hidden={{ registration: asked.registration_key, code: asked.user_code }}
      steps={['2. Set the limits', '3. Choose what it may do']}
      requested={asked.requested_grant}
      rails={asked.rails}
      values={values}
      refused={refused}
      next={next}
    />
  );
}

interface DecisionProps {
  action: string;
  hidden: Readonly<Record<string, string>>;
  steps: readonly [limits: string, permissions: string];
  requested: GrantTerms;
  rails: Rails;
  values: GrantValues;
  refused: string | null;
  next: string;
}

/** The grant as a form: whoever asks gets what is set here, or nothing. */
export function GrantDecision({ action, hidden, steps, requested, rails, values, refused, next }: DecisionProps) {
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
        <div className="grid grid-cols-2 gap-3">
          <button type="submit" name="decision" value="deny" className="btn btn-lg">
            Deny
          </button>
          <button type="submit" name="decision" value="approve" className="btn btn-primary btn-lg">
            Approve
          </button>
        </div>
        <p className="mt-3 text-dense text-ink-3">
          Every member of the account gets a letter about your decision. To approve, you must have signed in within the
          last {lasting('freshSignIn')}.
        </p>
      </div>
    </form>
  );
}

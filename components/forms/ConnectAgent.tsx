import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Connection } from '@/server/identity/member-contract.ts';
import { lasting } from '@/server/service/terms.ts';
import { Software } from '../identity/Software.tsx';
import type { GrantValues } from './GrantFields.tsx';
import { EndAndTerms, GivenName, GrantRequest } from './GrantRequest.tsx';

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
export function ConnectAgent({ asked, ...rest }: Props) {
  return (
    <GrantRequest
      action="/connect/decision"
      hidden={{ registration: asked.registration_key, code: asked.user_code }}
      steps={['2. Set the limits', '3. Choose what it may do']}
      asked={asked}
      {...rest}
    >
      <Asked asked={asked} />
    </GrantRequest>
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
        <GivenName name={asked.agent.name} by="agent" />
        <Software name={asked.agent.software} />
        <dt>Asked</dt>
        <dd>
          <Instant at={asked.created_at} />
        </dd>
        <dt>From</dt>
        <dd>
          <Key>{asked.origin}</Key>
        </dd>
        <EndAndTerms {...asked} />
      </dl>
    </div>
  );
}

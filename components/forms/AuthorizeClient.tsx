import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Authorization } from '@/server/identity/oauth-contract.ts';
import { GrantDecision } from './ConnectAgent.tsx';
import type { GrantValues } from './GrantFields.tsx';

interface Props {
  asked: Authorization;
  values: GrantValues;
  /** Why the last try was refused. */
  refused: string | null;
  /** This page with what was typed, to come back to. */
  next: string;
}

/** An OAuth client asks to buy: who it says it is, where the answer goes, and the limits to set. */
export function AuthorizeClient({ asked, values, refused, next }: Props) {
  return (
    <div className="mx-auto max-w-page px-4 py-8 md:px-6 md:py-14">
      <div className="grid gap-x-20 gap-y-8 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <Asked asked={asked} />
        <GrantDecision
          action={`/oauth/consent/${asked.authorization_key}/decision`}
          hidden={{}}
          steps={['1. Set the limits', '2. Choose what it may do']}
          requested={asked.requested_grant}
          rails={asked.rails}
          values={values}
          refused={refused}
          next={next}
        />
      </div>
    </div>
  );
}

function Asked({ asked }: Pick<Props, 'asked'>) {
  const { client } = asked;
  return (
    <div>
      <h1 className="text-h1">Let this client buy checks for you?</h1>
      <p className="mt-3 text-body text-ink-2">
        {asked.agent_key === null
          ? 'Approving makes it an agent of your account. It may buy checks within the limits you set here.'
          : 'It is already an agent of your account. Approving gives it the limits you set here.'}
      </p>
      <dl className="facts mt-6 text-dense">
        <dt>Client</dt>
        <dd>
          <span className="wrap-anywhere">{client.name ?? 'Without a name'}</span>
          <br />
          <span className="text-ink-3">Name given by the client, not verified</span>
        </dd>
        <dt>Published by</dt>
        <dd>{client.host === null ? 'Nobody: it registered itself' : <Key>{client.host}</Key>}</dd>
        <dt>Sends you to</dt>
        <dd>
          <Key>{asked.redirect_host}</Key>
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
      <p className="mt-4 text-dense text-ink-3">
        Go on only if you started this from that client a moment ago. If you did not, deny it.
      </p>
    </div>
  );
}

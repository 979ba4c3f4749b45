import { Key } from '@/components/ui/Key.tsx';
import type { Authorization } from '@/server/identity/oauth-contract.ts';
import type { GrantValues } from './GrantFields.tsx';
import { EndAndTerms, GivenName, GrantRequest } from './GrantRequest.tsx';

interface Props {
  asked: Authorization;
  values: GrantValues;
  /** Why the last try was refused. */
  refused: string | null;
  /** This page with what was typed, to come back to. */
  next: string;
}

/** An OAuth client asks to buy: who it says it is, where the answer goes, and the limits to set. */
export function AuthorizeClient({ asked, ...rest }: Props) {
  return (
    <GrantRequest
      action={`/oauth/consent/${asked.authorization_key}/decision`}
      hidden={{}}
      steps={['1. Set the limits', '2. Choose what it may do']}
      asked={asked}
      {...rest}
    >
      <Asked asked={asked} />
    </GrantRequest>
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
        <GivenName name={client.name ?? 'Without a name'} by="client" />
        <dt>Published by</dt>
        <dd>{client.host === null ? 'Nobody: it registered itself' : <Key>{client.host}</Key>}</dd>
        <dt>Sends you to</dt>
        <dd>
          <Key>{asked.redirect_host}</Key>
        </dd>
        <EndAndTerms {...asked} />
      </dl>
      <p className="mt-4 text-dense text-ink-3">
        Go on only if you started this from that client a moment ago. If you did not, deny it.
      </p>
    </div>
  );
}

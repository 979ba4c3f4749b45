import { CheckCheck, Clock, KeyRound, LogIn, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmailForm } from '@/components/forms/EmailForm.tsx';
import { WalletInstead } from '@/components/forms/WalletInstead.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { instantText } from '@/server/kernel/instant-text.ts';
import { lasting } from '@/server/service/terms.ts';

/** The state of a single-use sign-in link when opened. */
export type SignInLink =
  | { state: 'ready'; email: string; expiresAt: Date; isNew: boolean }
  | { state: 'used' | 'expired' | 'unknown' | 'absent' | 'sent' | 'closed' | 'limited' };

interface Props {
  link: SignInLink;
  /** The link's content, which the button sends back. */
  token: string;
  /** The address of the member signed in here. */
  signedInAs: string | null;
  /** Where the sign-in leads. */
  next: string;
}

function Ready({ link, token, signedInAs }: Props & { link: Extract<SignInLink, { state: 'ready' }> }) {
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        <LogIn className="icon size-5 text-ink-3" />
        <h1 className="mt-3 text-h1">{link.isNew ? 'Open a Work Check account?' : 'Sign in to Work Check?'}</h1>
        <p className="mt-2 text-body text-ink-2">
          As <strong className="font-medium wrap-anywhere text-ink">{link.email}</strong>, in this browser.{' '}
          {link.isNew
            ? 'Nothing is charged. Next you decide what the client that sent you here may buy.'
            : 'You will see the agents, reports and receipts of your account.'}
        </p>
        {link.isNew ? (
          <p className="mt-2 text-ink-2">
            An account is under{' '}
            <a href="/terms" className="link">
              these terms
            </a>
            .
          </p>
        ) : null}
        {signedInAs && signedInAs !== link.email ? (
          <p className="mt-2 text-ink-2">This signs {signedInAs} out of this browser.</p>
        ) : null}
        <form action="/sign-in/confirm" method="post" className="mt-6">
          <input type="hidden" name="link" value={token} />
          <button type="submit" className="btn btn-primary btn-lg w-full">
            {link.isNew ? 'Open the account' : 'Sign in'}
          </button>
        </form>
        <p className="mt-4 text-dense text-ink-3">
          The link works once, until <time dateTime={link.expiresAt.toISOString()}>{instantText(link.expiresAt)}</time>.
          If you did not ask for it, close this page: nothing happens until you press the button.
        </p>
      </div>
    </div>
  );
}

const ends = {
  used: {
    icon: CheckCheck,
    title: 'This link was used',
    words: 'A sign-in link works once. If you did not use it, tell whoever runs this service.',
  },
  expired: { icon: Clock, title: 'This link has expired', words: 'Nobody was signed in. Ask for a new one.' },
  unknown: {
    icon: Clock,
    title: 'This link is not valid',
    words: 'Part of it may be missing. Open the complete link, or ask for a new one.',
  },
  absent: { icon: KeyRound, title: 'Sign in', words: '' },
  sent: {
    icon: Mail,
    title: 'Check your mail',
    words:
      `If the address belongs to an account, a letter with a link is on its way. The link works once, for ${lasting('signInLink')}, and ` +
      'leads back to where you were. If no letter comes, too many were requested: use the link in the last one, or ask ' +
      'again after it has expired.',
  },
  closed: {
    icon: Mail,
    title: 'We cannot send letters right now',
    words: 'Try again later, or ask whoever runs this service for a sign-in link.',
  },
  limited: {
    icon: Clock,
    title: 'Too many letters requested',
    words: 'Too many sign-in letters were requested from your network. None was sent. Try again in an hour.',
  },
} as const;

/** Whether the reader just asked for a letter: then don't ask for the address again. */
const hasAsked = ({ state }: SignInLink): boolean => state === 'sent' || state === 'closed' || state === 'limited';

/** The page of a sign-in link. Opening it changes nothing: only the button signs in. Works without scripts. */
export function SignIn(props: Props): ReactNode {
  const { link, signedInAs, next } = props;
  if (link.state === 'ready') return <Ready {...props} link={link} />;
  const { icon, title, words } = ends[link.state];
  return (
    <DeadEnd icon={icon} title={title} next={hasAsked(link) ? null : <EmailForm next={next} />}>
      {words ? <p>{words}</p> : null}
      {hasAsked(link) ? null : <WalletInstead next={next} />}
      {signedInAs ? (
        <p>
          You are signed in as <strong className="font-medium wrap-anywhere text-ink">{signedInAs}</strong>.{' '}
          <a href="/agents" className="link">
            See your agents
          </a>
          {hasAsked(link) ? '.' : ', or sign in again.'}
        </p>
      ) : null}
    </DeadEnd>
  );
}

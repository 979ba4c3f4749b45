import { Bot, CheckCheck, Clock, type LucideIcon, Mail, OctagonX, TriangleAlert, UserRoundCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Limits, Permissions } from '@/components/identity/GrantSummary.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Confirmation } from '@/server/identity/registration-contract.ts';
import { lasting, price } from '@/server/service/terms.ts';
import { Software } from '../identity/Software.tsx';
import { canBuy, valuesOf } from './GrantFields.tsx';

/** Who asks for what, and the two answers. Works without scripts. */
export function ConfirmAgent({ asked, link }: { asked: Confirmation; link: string }) {
  return (
    <div className="mx-auto max-w-decision px-4 py-8 md:py-14">
      <h1 className="text-h1">May this agent buy checks for you?</h1>
      <p className="mt-2 text-body text-ink-2">
        It asked with the address <strong className="font-medium wrap-anywhere text-ink">{asked.email}</strong>.
      </p>
      <Request asked={asked} />
      <form
        action="/confirm/decision"
        method="post"
        className="sticky bottom-0 -mx-4 mt-5 grid grid-cols-2 gap-3 bg-raised p-4 shadow-bar md:static md:mx-0 md:bg-transparent md:p-0 md:shadow-none"
      >
        <input type="hidden" name="link" value={link} />
        <p className="col-span-2 text-dense text-ink-2">
          By confirming you accept the{' '}
          <a href="/terms" className="link">
            terms {asked.terms_version}
          </a>
          .
        </p>
        <button type="submit" name="decision" value="decline" className="btn btn-lg px-2!">
          This was not me
        </button>
        <button type="submit" name="decision" value="confirm" className="btn btn-primary btn-lg px-2!">
          Confirm
        </button>
      </form>
      <p className="mt-3 text-dense text-ink-3">
        This request expires on <Instant at={asked.expires_at} />. If you choose “This was not me”, no account is made
        and the agent gets nothing.
      </p>
      {asked.code === null ? null : <CodeToRead code={asked.code} until={asked.code_expires_at} />}
    </div>
  );
}

function Request({ asked }: { asked: Confirmation }) {
  return (
    <section className="panel mt-6" aria-label="The request">
      <div className="flex items-center gap-4 p-5">
        <span className="flex size-11 flex-none items-center justify-center rounded-panel border border-line bg-sunken text-ink-2">
          <Bot className="icon size-5" />
        </span>
        <div className="min-w-0">
          <div className="text-h3 wrap-anywhere">{asked.agent.name}</div>
          <div className="text-dense text-ink-3">Name given by the agent, not verified</div>
        </div>
      </div>
      <div className="border-t border-line">
        <Limits grant={asked.requested_grant}>
          <p className="mt-3 text-dense text-ink-3">
            Nothing is charged now. A check costs <Price microcents={price} />. You can lower these limits, pause or
            revoke the agent at any time.
          </p>
        </Limits>
      </div>
      {canBuy(valuesOf(asked.requested_grant), asked.rails) ? null : (
        <p className="notice tone-attention mx-5 mb-4">
          <TriangleAlert className="icon" />
          <span>
            With this request it cannot buy anything: a check costs more than a limit allows, or it has no way to pay.
          </span>
        </p>
      )}
      <Permissions grant={asked.requested_grant} rails={asked.rails} />
      <dl className="facts border-t border-line px-5 text-dense">
        <dt>Asked</dt>
        <dd>
          <Instant at={asked.created_at} /> from <Key>{asked.origin}</Key>
        </dd>
        <Software name={asked.agent.software} />
        <dt>Its code</dt>
        <dd>
          <Key>{asked.user_code}</Key>, which your agent shows too
        </dd>
      </dl>
    </section>
  );
}

function CodeToRead({ code, until }: { code: string; until: string }) {
  return (
    <section className="mt-8 border-t border-line pt-6" aria-labelledby="code">
      <h2 id="code" className="text-h3">
        Is your agent waiting for a code?
      </h2>
      <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-2">
        <output className="font-mono text-h1 font-medium" aria-label={`Code ${code.split('').join(' ')}`}>
          {code.slice(0, 3)} {code.slice(3)}
        </output>
        <p className="flex-1 basis-56 text-dense text-ink-2">
          If you read it to the agent, you confirm the same limits and terms. It works once, until{' '}
          <Instant at={until} />. Give it to nobody else.
        </p>
      </div>
    </section>
  );
}

type End = Exclude<Confirmation['state'], 'pending_confirmation'> | 'unknown' | 'absent';

const ends: Record<End, { icon: LucideIcon; title: string; words: string; next: readonly [string, string] }> = {
  confirmed: {
    icon: CheckCheck,
    title: 'Your agent may buy checks',
    words:
      `Your account was created and nothing was charged. The agent has ${lasting('claimWindow')} to fetch its credential. Sign in to ` +
      'lower its limits, pause or revoke it.',
    next: ['Sign in', '/sign-in'],
  },
  declined: {
    icon: OctagonX,
    title: 'The request was declined',
    words:
      `The agent got nothing and no account was made. For ${lasting('silence')} no agent from that network can write to you. If you ` +
      'open an account, you can lift this on its page.',
    next: ['Go to the front page', '/'],
  },
  expired: {
    icon: Clock,
    title: 'This link has expired',
    words: 'No account was made and nothing was charged. If it was your agent, have it ask again.',
    next: ['Go to the front page', '/'],
  },
  address_has_account: {
    icon: UserRoundCheck,
    title: 'This address has an account',
    words: 'Nothing was created. Have the agent ask to connect to your account, then type the code it shows you.',
    next: ['Connect an agent', '/connect'],
  },
  unknown: {
    icon: Clock,
    title: 'This link is not valid',
    words: 'Part of it may be missing. Open the complete link from the letter.',
    next: ['Go to the front page', '/'],
  },
  absent: {
    icon: Mail,
    title: 'Check your mail',
    words: 'We wrote to the address your agent gave us. The link in that letter opens the request.',
    next: ['Go to the front page', '/'],
  },
};

/** How a registration ended, or why there is nothing to decide. */
export function RegistrationEnd({ state }: { state: End }): ReactNode {
  const { icon, title, words, next } = ends[state];
  return (
    <DeadEnd
      icon={icon}
      title={title}
      next={
        <a href={next[1]} className="btn">
          {next[0]}
        </a>
      }
    >
      <p>{words}</p>
    </DeadEnd>
  );
}

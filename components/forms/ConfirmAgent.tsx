import { Bot, CheckCheck, CirclePause, Clock, type LucideIcon, Mail, OctagonX, UserRoundCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { amountText, Price } from '@/components/purchases/Price.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { LiveReload } from '@/components/ui/LiveReload.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import type { Confirmation } from '@/server/identity/registration-contract.ts';
import { lasting, price } from '@/server/service/terms.ts';
import { Software } from '../identity/Software.tsx';
import { type GrantValues, LimitFields, PermissionFields } from './GrantFields.tsx';

interface Props {
  asked: Confirmation;
  link: string;
  values: GrantValues;
  /** Why the last try was refused. */
  refused: string | null;
  /** Whether confirming signs the person in: nobody is signed in here. */
  signsIn: boolean;
}

/** Who asks for what, the limits to set, and the two answers. Works without scripts. */
export function ConfirmAgent({ asked, link, values, refused, signsIn }: Props) {
  return (
    <div className="mx-auto max-w-decision px-4 py-8 md:py-14">
      <h1 className="text-h1">May this agent buy checks for you?</h1>
      <p className="mt-2 text-body text-ink-2">
        A check is a paid review of work that agents produce; it costs <Price microcents={price} />. The agent asked
        with the address <strong className="font-medium wrap-anywhere text-ink">{asked.email}</strong>.
      </p>
      {refused === null ? null : (
        <div className="mt-4">
          <Notice tone="attention">{refused}</Notice>
        </div>
      )}
      <form action="/confirm/decision" method="post">
        <input type="hidden" name="link" value={link} />
        <Request asked={asked} values={values} />
        <p className="mt-5 text-dense text-ink-2">
          By confirming you accept the{' '}
          <a href="/terms" className="link">
            terms {asked.terms_version}
          </a>
          . Nothing is charged now.
        </p>
        <div className="answers mt-3">
          <button type="submit" name="decision" value="decline" className="btn btn-lg px-2!" formNoValidate>
            Decline
          </button>
          <button type="submit" name="decision" value="confirm" className="btn btn-primary btn-lg px-2!">
            Confirm
          </button>
        </div>
      </form>
      <p className="mt-3 text-dense text-ink-3">
        This request expires on <Instant at={asked.expires_at} />. If you decline, no account is made and the agent gets
        nothing. If you confirm, it continues by itself, {signsIn ? 'you are signed in in this browser, ' : null}and you
        hear by letter of what it pays and of each report.
      </p>
      <Block origin={asked.origin} link={link} />
      {asked.code === null ? null : <CodeToRead code={asked.code} until={asked.code_expires_at} />}
    </div>
  );
}

/** Declining, and keeping the network away for a day: said before it is done. */
function Block({ origin, link }: { origin: string; link: string }) {
  return (
    <details className="mt-4 border-t border-line pt-3">
      <summary className="link w-fit cursor-pointer py-1 text-dense">You do not know this agent?</summary>
      <form action="/confirm/decision" method="post" className="mt-2">
        <input type="hidden" name="link" value={link} />
        <p className="mb-3 text-dense text-ink-2">
          You can decline and also block the network <Key>{origin}</Key>: for {lasting('silence')} no agent there can
          have letters sent to you. The link in your letter undoes that.
        </p>
        <button type="submit" name="decision" value="block" className="btn">
          Decline, and block this network
        </button>
      </form>
    </details>
  );
}

function Request({ asked, values }: Pick<Props, 'asked' | 'values'>) {
  const requested = asked.requested_grant;
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
      <fieldset className="border-t border-line p-5">
        <legend className="float-left mb-4 w-full text-h3">What it may spend</legend>
        <div className="clear-both">
          <LimitFields
            values={values}
            hints={{
              per_check: `It asked for ${amountText(requested.per_job_limit_microcents)}`,
              per_day: `It asked for ${amountText(requested.daily_limit_microcents)}. Resets at 00:00 UTC`,
              in_total:
                requested.total_limit_microcents === null
                  ? 'It asked for no limit. Leave empty for none'
                  : `It asked for ${amountText(requested.total_limit_microcents)}`,
            }}
          />
          <label className="mt-4 flex gap-3">
            <input type="checkbox" className="check" name="once" value="yes" />
            <span>
              Only this once
              <span className="block text-dense text-ink-3">
                One check: <Price microcents={price} /> in total, whatever stands above.
              </span>
            </span>
          </label>
        </div>
      </fieldset>
      <fieldset className="border-t border-line p-5">
        <legend className="float-left mb-3 w-full text-h3">What it may do</legend>
        <div className="clear-both">
          <PermissionFields values={values} rails={asked.rails} />
        </div>
      </fieldset>
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
          If you read it to the agent, you confirm the limits that it asked for, and the terms. It works once, until{' '}
          <Instant at={until} />. Give it to nobody else.
        </p>
      </div>
    </section>
  );
}

type End = Exclude<Confirmation['state'], 'pending_confirmation'> | 'paused' | 'revoked' | 'unknown' | 'absent';

const ends: Record<End, { icon: LucideIcon; title: string; words: string; next: readonly [string, string] }> = {
  confirmed: {
    icon: CheckCheck,
    title: 'Your agent may buy checks',
    words: 'Nothing more to do: your agent continues by itself. Your account was created and nothing was charged.',
    next: ['See your agents', '/agents'],
  },
  paused: {
    icon: CirclePause,
    title: 'This agent is paused',
    words: 'You confirmed it, and it was paused since. It buys nothing new until it is resumed.',
    next: ['See your agents', '/agents'],
  },
  revoked: {
    icon: OctagonX,
    title: 'This agent was revoked',
    words: 'You confirmed it, and it was revoked since. It can buy nothing any more.',
    next: ['See your agents', '/agents'],
  },
  declined: {
    icon: OctagonX,
    title: 'The request was declined',
    words: 'The agent got nothing and no account was made.',
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
export function RegistrationEnd({ state, children }: { state: End; children?: ReactNode }): ReactNode {
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
      {children}
    </DeadEnd>
  );
}

/** Who is signed in after a confirmation. It never replaces another session. */
export function ConfirmedAs({ owner, visitor }: { owner: string; visitor: string | null }) {
  if (visitor === owner) {
    return (
      <p className="wrap-anywhere">You are signed in as {owner}, and can change its limits, pause or revoke it.</p>
    );
  }
  return (
    <p className="wrap-anywhere">
      {visitor === null ? null : `This browser stays signed in as ${visitor}. `}
      After a{' '}
      <a href="/sign-in" className="link">
        sign-in
      </a>{' '}
      as {owner} you can change its limits, pause or revoke it.
    </p>
  );
}

/** Whether the agent has its key, live: the claim comes seconds after the confirmation. */
export function KeyFetched({ fetched }: { fetched: boolean }) {
  return fetched ? (
    <p className="mt-2">It has fetched its key.</p>
  ) : (
    <p className="mt-2" role="status">
      <LiveReload />
      It has not fetched its key yet; it can for {lasting('claimWindow')} after you confirmed.
    </p>
  );
}

/** A network that is kept away, and the way back. */
export function Blocked({ origin, until, link }: { origin: string; until: string; link: string }) {
  return (
    <form action="/confirm/decision" method="post" className="mt-3">
      <input type="hidden" name="link" value={link} />
      <p>
        Until <Instant at={until} /> no agent from <Key>{origin}</Key> can have letters sent to you.
      </p>
      <button type="submit" name="decision" value="unblock" className="btn mt-3">
        Undo the block
      </button>
    </form>
  );
}

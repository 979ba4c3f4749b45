import { CheckCheck, Clock, MonitorX } from 'lucide-react';
import type { Metadata } from 'next';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { browserName } from '@/server/identity/browser-name.ts';
import { sessionOfLink, type ToldSession } from '@/server/identity/session-link.ts';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';

export const metadata: Metadata = { title: 'End a sign-in' };

/** The page of a letter about a new browser. Opening it ends nothing, and its button needs no sign-in. */
export default show(async ({ searchParams }: { searchParams: Promise<{ link?: string | string[] }> }) => {
  const { link } = await searchParams;
  const { ctx } = await memberContext();
  const session = typeof link === 'string' ? await sessionOfLink(ctx.runtime, link, ctx.now) : null;
  if (session === null) return <Unknown />;
  return session.isOver ? <Over email={session.email} /> : <End session={session} link={String(link)} />;
});

function End({ session: { email, browser, origin, createdAt }, link }: { session: ToldSession; link: string }) {
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        <MonitorX className="icon size-5 text-ink-3" />
        <h1 className="mt-3 text-h1">
          End this <span className="whitespace-nowrap">sign-in?</span>
        </h1>
        <p className="mt-2 wrap-anywhere text-body text-ink-2">
          As <strong className="font-medium text-ink">{email}</strong>, with{' '}
          <bdi>{browser === null ? 'a browser without a name' : browserName(browser)}</bdi>, since{' '}
          <Instant at={createdAt.toISOString()} />, from <Key>{origin}</Key>.
        </p>
        <form action="/sign-in/end/confirm" method="post" className="mt-6">
          <input type="hidden" name="link" value={link} />
          <button type="submit" className="btn btn-primary btn-lg w-full">
            End it
          </button>
        </form>
        <p className="mt-4 text-dense text-ink-3">
          Whoever uses that browser is signed out at once. If it was you, close this page.
        </p>
      </div>
    </div>
  );
}

function Over({ email }: { email: string }) {
  return (
    <DeadEnd
      icon={CheckCheck}
      title={
        <>
          This <span className="whitespace-nowrap">sign-in</span> has ended
        </>
      }
      next={
        <a href="/account" className="btn">
          See who else is signed in
        </a>
      }
    >
      <p>Nobody is signed in by it any more.</p>
      <p>
        If it was not you, somebody can read the mail of <span className="wrap-anywhere">{email}</span>: change the
        password of that mailbox. Then look at the limits of your agents, and{' '}
        <a href="/contact" className="link">
          write to us
        </a>{' '}
        if anything was changed.
      </p>
    </DeadEnd>
  );
}

function Unknown() {
  return (
    <DeadEnd
      icon={Clock}
      title="This link does not work"
      next={
        <a href="/account" className="btn">
          See who is signed in
        </a>
      }
    >
      <p>Part of it is missing, or the sign-in ended long ago. Your account page lists every sign-in and ends it.</p>
    </DeadEnd>
  );
}

import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { RuledSection } from '@/components/ui/RuledSection.tsx';
import type { SignedIn } from '@/server/identity/account-contract.ts';
import { browserName } from '@/server/identity/browser-name.ts';

/** A member's sign-ins and silenced origins, each with a button to end it. Works without scripts. */
export function SignedInList({ member }: { member: SignedIn }) {
  return (
    <>
      <Sessions sessions={member.sessions} />
      <Silenced silenced={member.silenced} />
      <Letters reports={member.report_letters} />
    </>
  );
}

function Sessions({ sessions }: Pick<SignedIn, 'sessions'>) {
  return (
    <RuledSection id="sessions" title="Signed in">
      <ul>
        {sessions.map((session) => (
          <li
            key={session.session_key}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3"
          >
            <div className="min-w-0 flex-1 basis-56">
              <p>
                Since <Instant at={session.created_at} />
                {session.current ? ', in this browser' : ''}
              </p>
              <p className="text-dense wrap-anywhere text-ink-3">
                From <Key>{session.origin}</Key>
                {session.browser === null ? null : `, ${browserName(session.browser)}`}
              </p>
            </div>
            {session.current ? null : (
              <form action="/account/end" method="post">
                <input type="hidden" name="session" value={session.session_key} />
                <button type="submit" className="btn">
                  End
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <form action="/account/end" method="post" className="mt-4">
          <button type="submit" className="btn">
            End all others
          </button>
        </form>
      ) : null}
    </RuledSection>
  );
}

/** Turns off what is neither about money nor about safety. */
function Letters({ reports }: { reports: boolean }) {
  return (
    <RuledSection id="letters" title="Letters to you">
      <form action="/account/letters" method="post" className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
        <input type="hidden" name="reports" value={reports ? 'off' : 'on'} />
        <p className="min-w-0 flex-1 basis-56">
          {reports ? 'We write when a report is ready.' : 'We do not write when a report is ready.'}{' '}
          <span className="text-ink-2">Letters about money and safety always come.</span>
        </p>
        <button type="submit" className="btn">
          {reports ? 'Stop these letters' : 'Write to me again'}
        </button>
      </form>
    </RuledSection>
  );
}

function Silenced({ silenced }: Pick<SignedIn, 'silenced'>) {
  return (
    <RuledSection id="silenced" title="Blocked from writing to you">
      {silenced.length === 0 ? (
        <p className="py-3 text-ink-2">
          Nobody. If you block the network that an agent asked from, it stands here, and you can end that.
        </p>
      ) : (
        <ul>
          {silenced.map(({ origin, since, until }) => (
            <li key={origin} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
              <div className="min-w-0 flex-1 basis-56">
                <p>
                  Agents from <Key>{origin}</Key>
                </p>
                <p className="text-dense text-ink-3">
                  Since <Instant at={since} />, until <Instant at={until} />
                </p>
              </div>
              <form action="/account/lift" method="post">
                <input type="hidden" name="origin" value={origin} />
                <button type="submit" className="btn">
                  Let them write
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </RuledSection>
  );
}

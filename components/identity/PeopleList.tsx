import { Instant } from '@/components/ui/Instant.tsx';
import { RuledSection } from '@/components/ui/RuledSection.tsx';
import { invitationDays, type People } from '@/server/identity/people-contract.ts';
import { type MemberRole, memberMay, memberRoles } from '@/server/operation/member-roles.ts';

const roleWords: Readonly<Record<MemberRole, string>> = {
  owner: 'Owner: does all',
  approver: 'Approver: approves purchases, reviews reports, pauses agents',
  reader: 'Reader: reads',
};

/** Who may act on the account, and how to invite somebody. Draws what the reader's role may do; works without scripts. */
export function PeopleList({ people }: { people: People }) {
  const mine = people.members.find(({ you }) => you)?.role ?? 'reader';
  return (
    <RuledSection id="people" title="Members">
      <ul>
        {people.members.map((member) => (
          <li key={member.member_key} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
            <div className="min-w-0 flex-1 basis-56">
              <p className="wrap-anywhere">
                {member.email}
                {member.you ? ' (you)' : ''}
              </p>
              <p className="text-dense text-ink-3">
                {roleWords[member.role]}. Since <Instant at={member.since} precision="day" />
              </p>
            </div>
            {memberMay(mine, 'change_role') || member.you ? <Acts member={member} mine={mine} /> : null}
          </li>
        ))}
        {people.invitations.map(({ invitation_key, email, role, expires_at }) => (
          <li key={invitation_key} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
            <div className="min-w-0 flex-1 basis-56">
              <p className="wrap-anywhere">{email}</p>
              <p className="text-dense text-ink-3">
                Invited as {role}, until <Instant at={expires_at} />
              </p>
            </div>
            {memberMay(mine, 'withdraw_invitation') ? (
              <form action="/account/people/withdraw" method="post">
                <input type="hidden" name="invitation" value={invitation_key} />
                <button type="submit" className="btn">
                  Withdraw
                </button>
              </form>
            ) : null}
          </li>
        ))}
      </ul>
      {memberMay(mine, 'invite_member') ? <Invite /> : null}
    </RuledSection>
  );
}

function Acts({ member, mine }: { member: People['members'][number]; mine: MemberRole }) {
  const ends = member.you ? 'Leave' : 'Remove';
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
      {memberMay(mine, 'change_role') ? (
        <form action="/account/people/role" method="post" className="flex items-center gap-2">
          <input type="hidden" name="member" value={member.member_key} />
          <select
            name="role"
            className="field py-1.5 text-ui"
            defaultValue={member.role}
            aria-label={`Role of ${member.email}`}
          >
            {memberRoles.map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </select>
          <button type="submit" className="btn">
            Change
          </button>
        </form>
      ) : null}
      <details className="text-dense">
        <summary className="min-h-6 cursor-pointer py-1.5 font-medium">{ends} …</summary>
        <form action="/account/people/remove" method="post" className="mt-1 space-y-2">
          <input type="hidden" name="member" value={member.member_key} />
          <p className="text-ink-2">
            {member.you
              ? 'You are signed out everywhere and see this account no more.'
              : 'They are signed out everywhere. What they decided stays.'}
          </p>
          <button type="submit" className="btn btn-danger" aria-label={`${ends} ${member.email}`}>
            {ends}
          </button>
        </form>
      </details>
    </div>
  );
}

function Invite() {
  return (
    <form action="/account/people/invite" method="post" className="mt-4 flex flex-wrap items-end gap-3">
      <div className="min-w-0 flex-1 basis-56">
        <label className="label" htmlFor="invite">
          Invite by e-mail
        </label>
        <div className="field">
          <input id="invite" name="email" type="email" required maxLength={254} autoComplete="off" />
        </div>
      </div>
      <select name="role" className="field w-auto! py-1.5 text-ui" defaultValue="reader" aria-label="Role">
        <option value="reader">reader</option>
        <option value="approver">approver</option>
      </select>
      <button type="submit" className="btn">
        Invite
      </button>
      <p className="w-full text-dense text-ink-3">
        An invitation waits {invitationDays} days. Inviting, and giving another role, needs a fresh sign-in.
      </p>
    </form>
  );
}

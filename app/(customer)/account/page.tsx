import type { Metadata } from 'next';
import { FreshSignIn } from '@/components/forms/FreshSignIn.tsx';
import { BillingForm } from '@/components/identity/BillingForm.tsx';
import { PeopleList } from '@/components/identity/PeopleList.tsx';
import { SavedCardList } from '@/components/identity/SavedCardList.tsx';
import { SignedInList } from '@/components/identity/SignedInList.tsx';
import { ContestedPaymentList } from '@/components/purchases/ContestedPaymentList.tsx';
import { WaitingList } from '@/components/purchases/WaitingList.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { RuledSection } from '@/components/ui/RuledSection.tsx';
import type { SignedIn } from '@/server/identity/account-contract.ts';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';
import { readForMember } from '../read.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';
import { visitorMay } from '../visitor-may.ts';

export const metadata: Metadata = { title: 'Account' };

const told: Record<string, string> = {
  ended: 'Signed out. Whoever used that browser must sign in again.',
  card_removed: 'Removed. No agent can be charged to that card any more.',
  disowned: 'Noted. Your agents can buy again, unless another block stands.',
  people_invite: 'Invited. The letter is on its way.',
  people_withdraw: 'Withdrawn: its link works no more.',
  people_role: 'The role was changed.',
  people_remove: 'Removed: they are signed out everywhere.',
  billing: 'Saved. It stands on your receipts now.',
  letters: 'Saved. Letters about money and safety always come.',
  lifted: 'Agents from that network can write to you again.',
};

/** Why a change of the members was refused. */
const refused: Record<string, string> = {
  action_not_allowed: 'Nothing was changed. The account needs an owner, and an address can be a member once.',
  validation_failed: 'Nothing was changed. Type an e-mail address.',
  billing_missing: 'Nothing was changed. Receipts need a name and a postal address.',
  role_missing: 'Nothing was changed: your role does not cover that.',
};

/** A member's sign-ins, the agents that may not write to them, and the account's kept cards. */
export default show(async () => {
  const { ctx } = await memberContext();
  const member = await readForMember('member', ctx, {});
  if (member === null) return <SignInNeeded to="see your sign-ins" next="/account" />;
  const saved = await readForMember('saved_cards', ctx, {});
  const contested = await readForMember('contested_payments', ctx, {});
  const people = await readForMember('people', ctx, {});
  const billing = await readForMember('billing', ctx, {});
  const may = await visitorMay();
  const asked = may('decide_approval') ? await readForMember('approvals', ctx, {}) : null;
  const notice = await noticeAt('/account');
  return (
    <div className="mx-auto max-w-read px-4 py-8 md:py-12">
      <h1 className="text-h1">Account</h1>
      <p className="mt-1 wrap-anywhere text-ink-2">{member.email}</p>
      {notice !== null && told[notice] ? (
        <div className="mt-6">
          <Notice tone="settled">{told[notice]}</Notice>
        </div>
      ) : null}
      {notice === 'fresh_sign_in_required' ? (
        <div className="mt-6">
          <FreshSignIn next="/account" />
        </div>
      ) : null}
      {notice !== null && refused[notice] ? (
        <div className="mt-6">
          <Notice tone="attention">{refused[notice]}</Notice>
        </div>
      ) : null}
      <WaitingList approvals={asked?.approvals ?? []} reports={[]} allReports={null} />
      <Blocks blocks={member.blocks} />
      {contested ? <ContestedPaymentList {...contested} mayDisown={may('disown_payments')} /> : null}
      {people === null ? null : <PeopleList people={people} />}
      <SignedInList member={member} />
      <BillingForm billing={billing?.billing ?? null} mayChange={may('change_billing')} />
      <SavedCardList cards={saved?.cards ?? []} mayRemove={may('remove_card')} />
      <Beyond mayClose={may('close_account')} />
    </div>
  );
});

/** Why nothing new can be bought, and what to do. */
function Blocks({ blocks }: Pick<SignedIn, 'blocks'>) {
  if (blocks.length === 0) return null;
  return (
    <RuledSection id="blocked" title="Your agents can buy nothing new for now">
      <ul>
        {blocks.map(({ why, next, since }) => (
          <li key={why} className="border-b border-line py-3">
            <p>{why}</p>
            <p className="text-ink-2">{next}</p>
            <p className="text-dense text-ink-3">
              Since <Instant at={since} />
            </p>
          </li>
        ))}
      </ul>
      <p className="pt-3 text-ink-2">
        Other checks that are paid go on, and every report stays readable.{' '}
        <a href="/contact" className="link">
          Write to us
        </a>
      </p>
    </RuledSection>
  );
}

/** What leads away from this page: webhooks, the export, and the end. */
function Beyond({ mayClose }: { mayClose: boolean }) {
  return (
    <>
      <LinkSection id="credit" title="Credit" href="/purchases/credit">
        What your agents have for checks, and how it came and went
      </LinkSection>
      <LinkSection id="webhooks" title="Webhooks" href="/account/webhooks">
        Addresses that are told of events
      </LinkSection>
      <RuledSection id="export" title="Take it with you">
        <p className="py-3 text-ink-2">
          One file (JSON) with the account’s people, agents, limits, cards, sources, webhooks, purchases and signed
          receipts. Each report is downloaded on its own page.
        </p>
        <a href="/account/export.json" className="btn" download>
          Download the account
        </a>
      </RuledSection>
      {mayClose ? (
        <LinkSection id="close" title="Close the account" href="/account/close">
          See what closing ends and what stays, then decide
        </LinkSection>
      ) : null}
    </>
  );
}

function LinkSection({ href, children, ...section }: { id: string; title: string; href: string; children: string }) {
  return (
    <RuledSection {...section}>
      <p className="py-3">
        <a href={href} className="link inline-flex min-h-6 items-center">
          {children}
        </a>
      </p>
    </RuledSection>
  );
}

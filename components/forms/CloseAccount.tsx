import type { ReactNode } from 'react';
import { Price } from '@/components/purchases/Price.tsx';
import { counted } from '@/components/ui/counted.ts';
import type { ClosingAhead } from '@/server/purchases/closing-contract.ts';
import { lasting } from '@/server/service/terms.ts';

/** What closing the account does, before it is done. `children` says why it was refused. */
export function CloseAccount({ closing, children }: { closing: ClosingAhead; children: ReactNode }) {
  const { agents, members, cards, in_the_way } = closing;
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      {children ? <div className="mb-6">{children}</div> : null}
      <div className="panel p-6 md:p-8">
        <h1 className="text-h1">Close the account?</h1>
        <Part title="Ends at once, for good">
          {agents > 0 ? (
            <li>{counted(agents, 'agent')}: keys and grants. Programs that use them are refused from then on.</li>
          ) : null}
          <li>
            {members > 1 ? `${counted(members, 'member')}, you among them` : 'You'}: signed out everywhere, no member
            any more. Links and invitations work no longer.
          </li>
          {cards > 0 ? <li>{counted(cards, 'saved card')}: removed here and at the card provider.</li> : null}
          <li>Webhooks: removed.</li>
        </Part>
        <Open closing={closing} />
        <Part title="Deleted">
          <li>
            Work, requests and evidence: as soon as no open check needs them, {lasting('retention')} after the purchase
            at the latest.
          </li>
          <li>Your documents: as soon as no paid check may still read them.</li>
        </Part>
        <Part title="Kept by us">
          <li>
            Reports with the short passages they quote, receipts, who buys, payments and books, and who did what, with
            addresses: the books must stay true. You can read none of it any more.{' '}
            <a href="/account/export.json" className="link" download>
              Download the account
            </a>{' '}
            first.
          </li>
          <li>To come back, let an agent register with your address. That begins a new, empty account.</li>
        </Part>
        {in_the_way === null ? (
          <form action="/account/close/confirm" method="post" className="answers mt-6">
            <input type="hidden" name="account" value={closing.account_key} />
            <a href="/account" className="btn btn-lg">
              Keep it
            </a>
            <button type="submit" className="btn btn-danger btn-lg">
              Close it
            </button>
          </form>
        ) : (
          <p className="notice mt-6 tone-attention" role="status">
            <span>
              {in_the_way === 'block'
                ? 'You cannot close the account now: something keeps it from buying, and that is settled first. '
                : 'This account belongs to a wallet, which signs in with its own key. It cannot be closed. '}
              <a href="/account" className="link">
                Back to the account
              </a>
            </span>
          </p>
        )}
      </div>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-5">
      <h2 className="text-h3">{title}</h2>
      <ul className="mt-2 list-disc space-y-1 pl-5 text-body text-ink-2">{children}</ul>
    </section>
  );
}

/** What is open now, and what becomes of it. */
function Open({ closing }: { closing: ClosingAhead }) {
  const { unpaid, in_work, to_review, going_back, credit_microcents: credit } = closing;
  if (unpaid + in_work + to_review + going_back + credit === 0) return null;
  return (
    <Part title="Open now">
      {unpaid > 0 ? <li>{counted(unpaid, 'unpaid purchase')}: canceled, and no money is taken.</li> : null}
      {in_work > 0 ? (
        <li>
          {counted(in_work, 'paid check')} at work: run to their end. If one fails, its money goes back. To have it back
          now, cancel first.
        </li>
      ) : null}
      {to_review > 0 ? (
        <li>
          {counted(to_review, 'report')} to decide about: nobody can accept or dispute them afterwards. Their charges
          stay held, because silence is never acceptance, until we settle them.{' '}
          <a href="/purchases" className="link">
            Decide first
          </a>
        </li>
      ) : null}
      {going_back > 0 ? <li>{counted(going_back, 'payment')} on its way back: it still arrives.</li> : null}
      {credit > 0 ? (
        <li>
          <Price microcents={credit} /> of credit: it stays in our books, and nothing can spend it. Spend it first.
        </li>
      ) : null}
    </Part>
  );
}

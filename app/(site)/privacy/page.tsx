import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { lasting } from '@/server/service/terms.ts';
import { readOffer } from '../offer.ts';
import { Plain } from '../Plain.tsx';

export const metadata: Metadata = { title: 'Privacy' };

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="text-h2">{title}</h2>
      <ul className="mt-2 list-disc space-y-2 pl-5">{children}</ul>
    </section>
  );
}

/** What is kept, for how long, and who can see it. */
export default async function PrivacyPage() {
  const { modelVendor: vendor } = await readOffer();
  return (
    <Plain title="Privacy" lead="What this service keeps, for how long, and who can see it.">
      <Part title="What you submit">
        <li>
          Work, request, criteria and evidence are kept encrypted. They are deleted {lasting('retention')} after the
          purchase; if nothing was bought, within a minute after the quote expires. A quote is valid for{' '}
          {lasting('quoteLifetime')}.
        </li>
        <li>Once a review is closed, the buyer or a member of the account can delete them at once.</li>
        <li>
          Reports, receipts and digests stay; those of old purchases may lie in storage apart from the database. A
          report names your sources and quotes short passages, at most 200 characters each, from what you submitted.
        </li>
        <li>Documents that members store as governed sources are kept, encrypted, until a member removes them.</li>
        <li>
          The agent or wallet that bought a check can read it, and so can the members of its account. No other customer
          can.
        </li>
        <li>
          {vendor === null
            ? 'The check runs on this service’s own machines. What you submit is not sent to any language model vendor.'
            : `For the check, what you submit is sent to ${vendor}, which runs the language model.`}
        </li>
      </Part>
      <Part title="Who you are">
        <li>
          For an account we keep the e-mail addresses of its members, the names and limits of its agents, and who
          changed what and when. For a wallet we keep its address.
        </li>
        <li>
          For a registration or sign-in we keep the network block it came from, not the full IP address, and the
          browser.
        </li>
        <li>
          An owner can close the account on its page. Keys, sign-ins and saved cards go at once, and what was submitted
          as soon as no open check needs it. Reports, receipts, books and who did what stay.
        </li>
        <li>Credentials are kept as keyed hashes only. They cannot be read back.</li>
        <li>
          Letters go to members, about registrations, sign-ins and agents, including an agent’s first charge to a saved
          card. We send no others, and nothing is sold or shared.
        </li>
      </Part>
      <Part title="What you pay">
        <li>
          Payments over x402 stay on a public chain forever, with both addresses and the amount. Our books keep them
          with the job they paid for.
        </li>
      </Part>
      <InYourBrowser />
      <p>
        To see what is kept about you, to correct it or to have it deleted,{' '}
        <a href="/contact" className="link">
          write to us
        </a>
        .
      </p>
    </Plain>
  );
}

function InYourBrowser() {
  return (
    <Part title="In your browser">
      <li>
        One cookie while you are signed in, one for a minute that carries a notice to the next page, and one for a year
        after a sign-in, so that we can write to you when you sign in with a browser that you had not used here before.
        Nothing tracks you, and no page loads anything from other sites.
      </li>
      <li>
        A wallet’s session ends after {lasting('walletSession')}. Members see and end their sign-ins under Account.
      </li>
    </Part>
  );
}

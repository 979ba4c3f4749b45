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

/** What is kept, how long, and who sees it. */
export default async function PrivacyPage() {
  const { modelVendor: vendor } = await readOffer();
  return (
    <Plain title="Privacy" lead="What this service keeps, how long, and who can see it.">
      <Part title="What you submit">
        <li>
          Work, request, criteria and evidence are kept encrypted. They are deleted {lasting('retention')} after the
          purchase; where nothing was bought, within a minute after the quote has expired, which is after{' '}
          {lasting('quoteLifetime')}.
        </li>
        <li>Once a review is closed, the buyer or a member of the account can delete them at once.</li>
        <li>
          Reports, receipts and digests stay. A report names your sources and quotes short passages, of at most 200
          characters each, of what you submitted.
        </li>
        <li>Documents that members store as governed sources are kept, encrypted, until a member removes them.</li>
        <li>The agent or wallet that bought a check and the members of its account read it. No other customer does.</li>
        <li>
          {vendor === null
            ? 'The check is made on the machines of this service. What you submit goes to no vendor of language models.'
            : `For the check, what you submit is sent to ${vendor}, which runs the language model.`}
        </li>
      </Part>
      <Part title="Who you are">
        <li>
          Of an account: the e-mail addresses of its members, the names of its agents with their limits, and what was
          changed when and by whom. Of a wallet: its address.
        </li>
        <li>
          Of a registration or sign-in: the block of addresses that it came from, not the whole address, and which
          browser it was.
        </li>
        <li>Credentials are kept as keyed hashes only. They cannot be read back.</li>
        <li>
          Letters go to the addresses of members about registrations, sign-ins and agents. There are no others, and
          nothing is sold or shared.
        </li>
      </Part>
      <Part title="What you pay">
        <li>
          Payments over x402 stand on a public chain for good, with both addresses and the amount. The books keep them
          with the job that they paid for.
        </li>
      </Part>
      <Part title="In your browser">
        <li>
          One cookie while you are signed in, and one for a minute that carries a notice to the next page. Nothing
          measures or follows you, and no page loads anything from elsewhere.
        </li>
        <li>
          A wallet’s session ends after {lasting('walletSession')}. Members see and end their sign-ins under Account.
        </li>
      </Part>
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

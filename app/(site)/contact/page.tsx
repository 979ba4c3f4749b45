import type { Metadata } from 'next';
import { Key } from '@/components/ui/Key.tsx';
import { readOffer } from '../offer.ts';
import { Plain } from '../Plain.tsx';

export const metadata: Metadata = { title: 'Contact' };

/** The operator and how to reach them. */
export default async function ContactPage() {
  const { operator } = await readOffer();
  return (
    <Plain
      title="Contact"
      lead={
        operator ? `This service is run by ${operator.name}.` : 'This is a test installation: it names no operator.'
      }
    >
      {operator ? (
        <p>
          Write to{' '}
          <a href={`mailto:${operator.email}`} className="link wrap-anywhere">
            {operator.email}
          </a>
          .
        </p>
      ) : (
        <p>Ask whoever gave you this address who runs it. No real money is taken here.</p>
      )}
      <p>
        If you write about a purchase, include its <Key>job_key</Key>; about a refused request, its{' '}
        <Key>request_id</Key>. Never send a credential or a private key. We will never ask for one.
      </p>
      <p id="security">
        Found a vulnerability? Tell us first and give us time to fix it. Test only with your own wallet and your own
        work.
      </p>
    </Plain>
  );
}

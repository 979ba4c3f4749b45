import type { Metadata } from 'next';
import { ServiceStatus } from '@/components/purchases/ServiceStatus.tsx';
import { readOffer } from '../offer.ts';

export const metadata: Metadata = { title: 'Status' };

/** What works now: the service contract's availability, for people. */
export default async function StatusPage() {
  const { contract } = await readOffer();
  return (
    <div className="mx-auto max-w-page px-4 pt-8 pb-16 md:px-6 md:pt-12">
      <h1 className="text-h1">Status</h1>
      <ServiceStatus availability={contract.availability} />
    </div>
  );
}

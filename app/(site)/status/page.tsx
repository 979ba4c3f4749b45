import type { Metadata } from 'next';
import { Incidents } from '@/components/purchases/Incidents.tsx';
import { ServiceStatus } from '@/components/purchases/ServiceStatus.tsx';
import { perform } from '@/server/door/perform.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { Problem } from '@/server/problems/problem.ts';
import { pageContext } from '@/server/transports/context.ts';
import { readOffer } from '../offer.ts';

export const metadata: Metadata = {
  title: 'Status',
  alternates: { types: { 'application/atom+xml': '/status.atom' } },
};

/** What works now, by the service contract, and what did not, by the record. */
export default async function StatusPage() {
  const [{ contract }, incidents] = await Promise.all([readOffer(), readIncidents()]);
  return (
    <div className="mx-auto max-w-page px-4 pt-8 pb-16 md:px-6 md:pt-12">
      <h1 className="text-h1">Status</h1>
      <ServiceStatus availability={contract.availability} />
      <Incidents incidents={incidents} />
    </div>
  );
}

/** The incidents on record; null while they cannot be read. */
async function readIncidents() {
  try {
    return (await perform('incidents', pageContext(await webRuntime(), null), {})).body.incidents;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

import type { Metadata } from 'next';
import { ReportView } from '@/components/purchases/ReportView.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { readOffer } from '../offer.ts';

export const metadata: Metadata = { title: 'Sample report' };

/** The published sample, shown like a delivered report. */
export default async function SampleReportPage() {
  const { sample } = await readOffer();
  return (
    <div className="mx-auto max-w-page px-4 pt-8 pb-16 md:px-6 md:pt-12">
      <h1 className="text-h1">Sample report</h1>
      <p className="mt-1 mb-6 max-w-[44rem] text-ink-2">
        Illustrative: it shows the shape of a delivered report and is no measurement of quality. It is the report on the
        example request of the service contract, as <Key>sample_report</Key> there.
      </p>
      <ReportView report={sample.report} work={sample.work} evidence={sample.evidence} />
    </div>
  );
}

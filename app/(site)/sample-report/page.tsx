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
        Illustrative: it shows what a delivered report looks like and does not measure quality. It is the report on the
        service contract’s example request, and stands there as <Key>sample_report</Key>.
      </p>
      <ReportView report={sample.report} work={sample.work} evidence={sample.evidence} />
    </div>
  );
}

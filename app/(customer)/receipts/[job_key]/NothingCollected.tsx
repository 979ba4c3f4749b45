import { ReceiptText } from 'lucide-react';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Key } from '@/components/ui/Key.tsx';

export function NothingCollected({ jobKey }: { jobKey: string }) {
  return (
    <DeadEnd
      icon={ReceiptText}
      title="No receipt yet"
      next={
        <a href={`/reports/${jobKey}`} className="btn">
          See the state of the job
        </a>
      }
    >
      <p>
        Nothing was collected for <Key>{jobKey}</Key>. The first receipt is issued with the collection.
      </p>
    </DeadEnd>
  );
}

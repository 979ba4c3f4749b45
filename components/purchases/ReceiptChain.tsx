import { Instant } from '@/components/ui/Instant.tsx';
import type { Receipt } from '@/server/purchases/contract.ts';
import { receiptEvent } from './receipt-words.ts';

/** Every receipt of a job, newest first; each names the digest of the one before it. */
export function ReceiptChain({ chain }: { chain: readonly Receipt[] }) {
  const newestFirst = [...chain].sort((one, other) => other.sequence - one.sequence);
  return (
    <ol className="mt-3">
      {newestFirst.map((receipt, index) => {
        const isNewest = index === 0;
        return (
          <li key={receipt.receipt_key} className="relative grid grid-cols-[1.5rem_1fr] gap-x-3 pb-5">
            {index < newestFirst.length - 1 ? (
              <span className="absolute top-6 bottom-0 left-3 w-px bg-line" aria-hidden="true" />
            ) : null}
            <span
              className={`flex size-6 items-center justify-center rounded-full border font-mono text-meta ${isNewest ? 'border-ink bg-ink text-surface' : 'border-edge bg-surface text-ink-2'}`}
            >
              {receipt.sequence}
            </span>
            <div className="min-w-0 pt-0.5">
              <p className="font-medium">{receiptEvent(receipt, newestFirst[index + 1])}</p>
              <p className="text-dense text-ink-3">
                <Instant at={receipt.issued_at} />
              </p>
              <p className="key text-ink-3">{receipt.receipt_key}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

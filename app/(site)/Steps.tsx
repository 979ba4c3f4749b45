import { amountText } from '@/components/purchases/Price.tsx';
import { lasting, price } from '@/server/service/terms.ts';

interface Step {
  name: string;
  what: string;
  money: string;
}

/** The contract's purchase flow in the reader's words. `waysToPay` names only open ones. */
function steps(waysToPay: string): Step[] {
  return [
    {
      name: 'Quote',
      what: `Your agent sends the work, the request or criteria, and the evidence. The price is frozen for ${lasting('quoteLifetime')}.`,
      money: 'Nothing collected',
    },
    { name: 'Authorize', what: 'The agent accepts the quote under the limits of its grant.', money: 'Reserved' },
    {
      name: 'Pay',
      what: `${waysToPay} Work starts only after payment is collected.`,
      money: `${amountText(price)} USD collected`,
    },
    {
      name: 'Follow',
      what: 'The agent reads the state of the job and exactly what it may do next.',
      money: 'Held',
    },
    {
      name: 'Report',
      what: `Findings, citations, checks and limitations. Target ${lasting('deliveryTarget')}, deadline ${lasting('executionDeadline')}.`,
      money: 'Held',
    },
    {
      name: 'Review',
      what: `Accept, or dispute with a reason, within ${lasting('reviewWindow')}. One correction re-check is included.`,
      money: 'Charged on acceptance',
    },
    { name: 'Receipt', what: 'Collection, charge and any remedy, recorded separately and signed.', money: '' },
  ];
}

const ways = {
  card: 'saved card or a payment link',
  x402: 'x402 from a wallet',
} as const;

/** The open ways to pay, as a sentence. */
export function waysToPay(rails: readonly (keyof typeof ways)[]): string {
  if (rails.length === 0) return 'No way to pay is open right now.';
  return `By ${rails.map((rail) => ways[rail]).join(', or by ')}.`;
}

export function Steps({ waysToPay }: { waysToPay: string }) {
  return (
    <section className="border-t border-line bg-surface">
      <div className="mx-auto max-w-page px-4 py-16 md:px-6 lg:py-24">
        <h2 className="text-h1">How a purchase runs</h2>
        <ol className="mt-8 border-t border-ink">
          {steps(waysToPay).map((step, index) => (
            <li
              key={step.name}
              className="grid grid-cols-[2rem_1fr] gap-x-4 border-b border-line py-4 md:grid-cols-[2rem_9rem_1fr_14rem] md:items-baseline"
            >
              <span className="row-span-3 font-mono text-dense text-ink-3 md:row-span-1">{index + 1}</span>
              <h3 className="text-ui font-semibold">{step.name}</h3>
              <p className="text-ink-2">{step.what}</p>
              <p className="text-dense text-ink-3 md:text-right">{step.money}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

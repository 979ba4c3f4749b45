import type { ReactNode } from 'react';
import { Key } from '@/components/ui/Key.tsx';
import { operations } from '@/server/operations.ts';
import { priceInDollars, seconds } from '@/server/service/terms.ts';

const MINUTE = 60;

type Step = { operation: keyof typeof operations; title: string; words: ReactNode };

const steps: readonly Step[] = [
  {
    operation: 'check_work',
    title: 'Quote',
    words: (
      <>
        Send the work, the request or criteria, and the evidence, with <Key>max_price_microcents</Key> and an{' '}
        <Key>idempotency_key</Key>. Save the request before you send it. The quote is frozen and holds for{' '}
        {seconds.quoteLifetime / MINUTE} minutes.
      </>
    ),
  },
  {
    operation: 'authorize',
    title: 'Authorize',
    words: (
      <>
        Accept the quote under your grant, naming the <Key>terms_version</Key>. The amount is reserved in your limits;
        work waits for payment. The answer is a job.
      </>
    ),
  },
  {
    operation: 'pay',
    title: 'Pay',
    words: (
      <>
        With <Key>{'{"rail": "x402"}'}</Key> the first call answers 402 with what to sign. Repeat it unchanged with{' '}
        <Key>PAYMENT-SIGNATURE</Key>; any client of x402 version 2 does both, once it may pay {priceInDollars}. Keep one
        idempotency key for the payment and repeat that key until it answers, whatever happens on the way.
      </>
    ),
  },
  {
    operation: 'job',
    title: 'Follow',
    words: (
      <>
        <Key>next_step</Key> says what to do, and <Key>next_actions</Key> exactly what is allowed now, each with a{' '}
        <Key>body</Key> that works as it stands; <Key>other_bodies</Key> holds the alternatives. While a job moves there
        is nothing to do but wait: canceling is allowed, and not needed. <Key>Prefer: wait=25</Key> waits for a change
        instead of asking again and again.
      </>
    ),
  },
  {
    operation: 'report',
    title: 'Report',
    words:
      'Each statement of the work with its status, findings with citations, the checks performed, limitations and a verdict, as JSON with a Markdown body.',
  },
  {
    operation: 'review',
    title: 'Review',
    words: 'Accepting makes the charge final. Until then the money is held; silence is never acceptance.',
  },
  {
    operation: 'receipt',
    title: 'Receipt',
    words: 'Collection, charge and remedy, apart and signed. Every change issues the next receipt in the chain.',
  },
];

/** The purchase step by step, each under its operation. */
export function Flow() {
  return (
    <ol className="border-t border-ink text-ui">
      {steps.map((step, index) => {
        const operation = operations[step.operation];
        return (
          <li key={step.operation} className="grid grid-cols-[2rem_minmax(0,1fr)] border-b border-line py-4">
            <span className="font-mono text-dense leading-6 text-ink-3">{index + 1}</span>
            <div>
              <h3 className="text-h3 text-ink">{step.title}</h3>
              <p className="mt-0.5">
                <Key>{`${operation.method} ${operation.path}`}</Key>
              </p>
              <p className="mt-2">{step.words}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

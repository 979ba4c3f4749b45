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
        <Key>idempotency_key</Key>. Save the request before you send it. The quote is frozen and valid for{' '}
        {seconds.quoteLifetime / MINUTE} minutes.
      </>
    ),
  },
  {
    operation: 'authorize',
    title: 'Authorize',
    words: (
      <>
        Accept the quote under your grant, with its <Key>terms_version</Key>. This reserves the amount within your
        limits and answers with a job. Work starts after payment.
      </>
    ),
  },
  {
    operation: 'pay',
    title: 'Pay',
    words: (
      <>
        Take a body of the job’s <Key>next_actions</Key>. With <Key>{'{"rail": "x402"}'}</Key> the first call answers
        402 with what to sign. Repeat it unchanged with <Key>PAYMENT-SIGNATURE</Key>; any x402 version 2 client does
        both once you allow it to pay {priceInDollars}. Use one idempotency key for the payment and repeat it until you
        get an answer.
      </>
    ),
  },
  {
    operation: 'job',
    title: 'Follow',
    words: (
      <>
        <Key>next_step</Key> says what to do. <Key>next_actions</Key> lists exactly what is allowed now, each with a{' '}
        <Key>body</Key> you can send as it is; <Key>bodies</Key> holds alternatives. A job in progress needs no act of
        yours. Send <Key>Prefer: wait=25</Key> to wait for a change instead of polling.
      </>
    ),
  },
  {
    operation: 'report',
    title: 'Report',
    words:
      'Each statement with its status, findings with citations, checks, limitations and a verdict, as JSON with a Markdown body.',
  },
  {
    operation: 'review',
    title: 'Review',
    words: 'Accepting makes the charge final. Until then the money is held; silence is never acceptance.',
  },
  {
    operation: 'receipt',
    title: 'Receipt',
    words: 'Collection, charge and remedy, apart and signed. Each change issues the next receipt of the chain.',
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

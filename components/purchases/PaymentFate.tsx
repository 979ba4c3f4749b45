import { Ban, CircleCheck, CircleQuestionMark, Lock, type LucideIcon, RefreshCw, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { LiveReload } from '@/components/ui/LiveReload.tsx';
import type { PaymentPage } from '@/server/purchases/payment-contract.ts';
import { Price } from './Price.tsx';

type Decided = Exclude<PaymentPage['state'], 'open'>;

interface Fate {
  icon: LucideIcon;
  tone: string;
  title: (price: ReactNode) => ReactNode;
  words: string;
  last: string;
}

const wayBack = { icon: Undo2, tone: 'tone-quiet' };

/** What happened to the payment after collection; nothing if it stands. */
const since: Partial<Record<PaymentPage['payment_state'], Fate>> = {
  refund_pending: {
    ...wayBack,
    title: (price) => <>{price} is going back</>,
    words: 'It is on its way back to where it came from.',
    last: 'You need not do anything here.',
  },
  refunded: {
    ...wayBack,
    title: (price) => <>{price} went back</>,
    words: 'The receipt says when and how.',
    last: 'Banks may take some days to show it.',
  },
  refund_failed: {
    ...wayBack,
    title: (price) => <>{price} is owed back</>,
    words: 'The refund did not arrive.',
    last: 'We are working on it. You need not do anything.',
  },
  credited: {
    ...wayBack,
    title: (price) => <>{price} became credit</>,
    words: 'The agent can pay for another check with it.',
    last: 'You need not do anything here.',
  },
  disputed: {
    icon: CircleQuestionMark,
    tone: 'tone-person',
    title: () => 'Paid, and disputed',
    words: 'The cardholder’s bank is asking for the money back.',
    last: 'The agent’s account cannot buy until this is settled. Its account page says what to do.',
  },
  reversed: {
    ...wayBack,
    title: (price) => <>{price} was taken back</>,
    words: 'The payment was reversed after collection.',
    last: 'You need not do anything here.',
  },
};

const fates: Record<Decided, Fate> = {
  paid: {
    icon: CircleCheck,
    tone: 'tone-settled',
    title: (price) => <>Paid: {price} collected</>,
    words: 'The report is usually ready within a minute.',
    last: 'A charge becomes final only when the report is accepted.',
  },
  unknown: {
    icon: CircleQuestionMark,
    tone: 'tone-person',
    title: () => 'Please do not pay again',
    words: 'We do not know yet whether this payment went through. This page shows it as soon as we do.',
    last: 'You can close this page. If the money arrives too late to be used, it goes back automatically.',
  },
  ended: {
    icon: Ban,
    tone: 'tone-quiet',
    title: () => 'This link is no longer valid',
    words: 'It can no longer collect anything. If the check is still wanted, ask the agent for a new link.',
    last: 'If the money arrives too late to be used, it goes back automatically.',
  },
};

/** A payment that needs no payer, as recorded. */
export function PaymentFate({ payment, state }: { payment: PaymentPage; state: Decided }) {
  const fate = (state === 'paid' && since[payment.payment_state]) || fates[state];
  const { icon: Icon, tone, title, words, last } = fate;
  const price = <Price microcents={payment.price.amount_microcents} />;
  return (
    <div className="mx-auto max-w-decision px-4 py-8 md:py-16">
      <div className="panel p-6 md:p-8">
        <span
          className={`flex size-10 items-center justify-center rounded-panel bg-(--tone-tint) text-(--tone) ${tone}`}
        >
          <Icon className="icon size-5" />
        </span>
        <h1 className="mt-5 text-h1">{title(price)}</h1>
        <p className="mt-2 text-body text-ink-2">{words}</p>
        <dl className="facts mt-5 text-dense">
          <dt>Ordered by</dt>
          <dd className="wrap-anywhere">
            <bdi>{payment.agent_name ?? 'an agent without a name'}</bdi>
          </dd>
          <dt>Amount</dt>
          <dd>
            {price}
            {state === 'unknown' ? ', in doubt' : ''}
          </dd>
          {payment.environment === 'test' ? (
            <>
              <dt>Mode</dt>
              <dd>Test: no real money moves</dd>
            </>
          ) : null}
        </dl>
        {state === 'paid' ? <WhereReportIs payment={payment} /> : null}
        {state === 'unknown' ? <InDoubt paymentKey={payment.payment_key} /> : null}
        <p className="mt-4 text-dense text-ink-3">{last}</p>
      </div>
    </div>
  );
}

/** A member goes on to the report; anybody else learns who gets it. */
function WhereReportIs({ payment: { job_key, payment_key } }: { payment: PaymentPage }) {
  if (job_key === null) {
    return (
      <p className="mt-4 text-ink-2">
        Whoever runs the agent gets the report. Is that you?{' '}
        <a href={`/sign-in?${new URLSearchParams({ next: `/pay/${payment_key}` })}`} className="link">
          Sign in to read it
        </a>
      </p>
    );
  }
  return (
    <a href={`/reports/${job_key}`} className="btn btn-primary btn-lg mt-6 w-full">
      Read the report
    </a>
  );
}

function InDoubt({ paymentKey }: { paymentKey: string }) {
  return (
    <div className="mt-6 space-y-3">
      <LiveReload />
      <p className="notice tone-person">
        <Lock className="icon" />
        <span>A second payment, by card or wallet, is blocked until we know the outcome of this one.</span>
      </p>
      <a href={`/pay/${paymentKey}`} className="btn btn-lg w-full">
        <RefreshCw className="icon" />
        Check again
      </a>
    </div>
  );
}

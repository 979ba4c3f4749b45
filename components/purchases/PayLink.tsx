import { Bot, CircleQuestionMark, CreditCard, FlaskConical } from 'lucide-react';
import type { ComponentType } from 'react';
import { Limits } from '@/components/identity/GrantSummary.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { LiveReload } from '@/components/ui/LiveReload.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { WalletPay } from '@/components/wallet/WalletPay.tsx';
import type { RailName } from '@/server/payments/contract.ts';
import type { PaymentPage } from '@/server/purchases/payment-contract.ts';
import { declineAdvice, declineWords } from './decline-words.ts';
import { Price } from './Price.tsx';

interface Props {
  payment: PaymentPage;
  /** The reader is a signed-in member of some account. */
  isMember: boolean;
  /** Why the last try to pay failed. */
  problem: string | null;
}

/**
 * Who asks for how much, under which limits, and the ways to pay. Paying by card works without scripts. A payer who
 * returns from the provider may have paid already: say so first, and show no primary button.
 */
export function PayLink({ payment, isMember, problem }: Props) {
  const { payment_key, price, rails, card_for_members_only, checkout_begun_at: begunAt } = payment;
  return (
    <div className="mx-auto max-w-decision px-4 py-6 md:py-12">
      {begunAt === null ? (
        <>
          <h1 className="text-h1">
            Pay <Price microcents={price.amount_microcents} /> for a check?
          </h1>
          <p className="mt-2 text-ink-2">
            An agent is ordering one written check of an agent’s work. You pay once, for this check only.
          </p>
        </>
      ) : (
        <Begun at={begunAt} refused={payment.refused} />
      )}
      {problem === null ? null : (
        <div className="mt-4">
          <Notice tone="attention">{problem} Nothing was paid by that.</Notice>
        </div>
      )}
      <Asking payment={payment} />
      {rails.map(({ rail, networks }, place) => {
        const Way = ways[rail];
        return <Way key={rail} payment={payment} isMember={isMember} networks={networks} isFirst={place === 0} />;
      })}
      {card_for_members_only ? (
        <p className="mt-4 text-ink-2">
          By card, this account takes payments from its signed-in members alone:{' '}
          <a href={`/sign-in?${new URLSearchParams({ next: `/pay/${payment_key}` })}`} className="link">
            sign in
          </a>{' '}
          to pay by card.
        </p>
      ) : null}
      {rails.length > 0 || card_for_members_only ? null : (
        <p className="mt-4 text-ink-2">No way to pay works right now. Ask whoever runs the agent.</p>
      )}
    </div>
  );
}

function Asking({ payment }: Pick<Props, 'payment'>) {
  const { agent_name, limits, environment, expires_at } = payment;
  return (
    <section className="panel mt-5" aria-label="Who asks">
      <div className="flex items-center gap-4 px-5 py-4">
        <span className="flex size-10 flex-none items-center justify-center rounded-panel border border-line bg-sunken text-ink-2">
          <Bot className="icon size-5" />
        </span>
        <div className="min-w-0">
          <div className="text-h3 wrap-anywhere">
            <bdi>{agent_name ?? 'An agent without a name'}</bdi>
          </div>
          <div className="text-dense text-ink-3">
            {agent_name === null ? 'It signs in with a wallet' : 'Name given by the agent, not verified'}
          </div>
        </div>
      </div>
      <div className="border-t border-line">
        <Limits grant={limits} />
      </div>
      <p className="border-t border-line px-5 py-3 text-dense text-ink-2">
        The link works until <Instant at={expires_at} />.
        {environment === 'test' ? (
          <span className="mt-1 flex gap-2">
            <FlaskConical className="icon mt-0.5" /> Test mode: no real money moves.
          </span>
        ) : null}
      </p>
    </section>
  );
}

/** Somebody opened the provider's page and may have paid, if only after a refusal. */
function Begun({ at, refused }: { at: string } & Pick<PaymentPage, 'refused'>) {
  if (refused !== null) return <Refused {...refused} />;
  return (
    <>
      <LiveReload />
      <h1 className="text-h1">Not paid yet?</h1>
      <p className="notice tone-person mt-4" role="status">
        <CircleQuestionMark className="icon" />
        <span>
          Somebody started a card payment on <Instant at={at} />. If your bank has confirmed it, do not pay again: this
          page shows it within seconds. If the card was declined, nothing was paid, and you can try another below.
        </span>
      </p>
    </>
  );
}

function Refused({ reason, at }: NonNullable<PaymentPage['refused']>) {
  return (
    <>
      <LiveReload />
      <h1 className="text-h1">The card was refused</h1>
      <p className="notice tone-attention mt-4" role="status">
        <CircleQuestionMark className="icon" />
        <span>
          On <Instant at={at} />: {declineWords(reason)}. Nothing was paid by that. {declineAdvice(reason)} If a later
          try went through, this page shows it within seconds.
        </span>
      </p>
    </>
  );
}

function ByCard({ payment, isMember, isFirst }: WayProps) {
  const { payment_key, price, offers_saving, checkout_begun_at: begunAt } = payment;
  return (
    <form action={`/pay/${payment_key}/checkout`} method="post" className="mt-4">
      <button
        type="submit"
        className={`btn btn-lg w-full px-4 py-2 whitespace-normal ${begunAt === null && isFirst ? 'btn-primary' : ''}`}
      >
        <CreditCard className="icon" />
        <span>
          {begunAt === null ? 'Pay' : 'Not paid yet: pay'} <Price microcents={price.amount_microcents} /> by card
        </span>
      </button>
      <p className="mt-3 text-dense text-ink-3">
        You pay on the payment provider’s page and come back here. If no report is delivered, the card is refunded in
        full.{' '}
        {offers_saving ? (
          'You can choose there to save the card for the agents of your account.'
        ) : isMember ? null : (
          <>
            Members of the account can save a card:{' '}
            <a href={`/sign-in?${new URLSearchParams({ next: `/pay/${payment_key}` })}`} className="link">
              sign in first
            </a>
            .
          </>
        )}
      </p>
    </form>
  );
}

function ByWallet({ payment, networks, isFirst }: WayProps) {
  const { payment_key, price, card_for_members_only, checkout_begun_at: begunAt } = payment;
  return (
    <section className="mt-5 border-t border-line pt-4" aria-labelledby="wallet">
      <h2 id="wallet" className="mb-3 text-h3">
        {isFirst ? 'From a browser wallet' : 'Or from a browser wallet'}
      </h2>
      {isFirst && !card_for_members_only ? (
        <p className="mb-3 text-ink-2">
          Cards cannot be charged here right now. Try again later, or pay from a wallet.
        </p>
      ) : null}
      <WalletPay
        primary={isFirst && begunAt === null}
        bill={{
          address: `/api/agent/v1/payments/${payment_key}/x402`,
          body: {},
          microcents: price.amount_microcents,
        }}
        networks={networks}
        outcome={`/pay/${payment_key}`}
      />
      <p className="mt-3 text-dense text-ink-3">
        In USDC, over x402. If no report is delivered, the payment becomes the agent’s credit and is not returned to the
        wallet.
      </p>
    </section>
  );
}

interface WayProps {
  payment: PaymentPage;
  isMember: boolean;
  networks: readonly string[];
  /** No other way comes before it. */
  isFirst: boolean;
}

/** How each rail asks a payer for the money. */
const ways: Readonly<Record<RailName, ComponentType<WayProps>>> = { card: ByCard, x402: ByWallet };

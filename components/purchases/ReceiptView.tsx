import { ShieldAlert, ShieldCheck, ShieldQuestionMark } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyVerbatim } from '@/components/ui/CopyVerbatim.tsx';
import { Digest, digestText } from '@/components/ui/Digest.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { Mark } from '@/components/ui/Mark.tsx';
import type { BookkeepingReceipt } from '@/server/purchases/bookkeeping-contract.ts';
import type { Receipt } from '@/server/purchases/contract.ts';
import { Price } from './Price.tsx';
import { ReceiptChain } from './ReceiptChain.tsx';
import { type Parties, ReceiptParties } from './ReceiptParties.tsx';
import { ReceiptTotal } from './ReceiptTotal.tsx';
import {
  chargeDates,
  chargeNotes,
  collectedFrom,
  explorerAddress,
  paymentReference,
  remedyKinds,
} from './receipt-words.ts';
import { SignatureCheck } from './SignatureCheck.tsx';
import { State } from './State.tsx';

interface BlockProps {
  title: string;
  state: ReactNode;
  microcents: number;
  facts: readonly (readonly [string, ReactNode])[];
  note: string;
}

function Block({ title, state, microcents, facts, note }: BlockProps) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-t border-line px-5 py-6 print:break-inside-avoid md:grid-cols-[9rem_minmax(0,1fr)] md:px-8">
      <div>
        <h2 className="text-h3">{title}</h2>
        <div className="mt-1 text-dense">{state}</div>
      </div>
      <div className="min-w-0">
        <p className="text-h2 tabular-nums">
          <Price microcents={microcents} />
        </p>
        {facts.length > 0 ? (
          <dl className="mt-2 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1">
            {facts.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-ink-3">{name}</dt>
                <dd className="wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        ) : null}
        <p className="mt-3 text-dense text-ink-3">{note}</p>
      </div>
    </section>
  );
}

/** The provider's reference of the payment: a transaction, or a payment intent. */
function Reference({ reference }: { reference: string }) {
  const { id } = paymentReference(reference);
  const explorer = explorerAddress(reference);
  return (
    <>
      <CopyVerbatim text={id} shown={digestText(id)} label="Copy the full reference" />
      {explorer === null ? null : (
        <>
          {' '}
          <a href={explorer} rel="noreferrer" className="link inline-flex min-h-6 items-center">
            Look it up on the chain
          </a>
        </>
      )}
    </>
  );
}

function Collection({ collection }: { collection: Receipt['collection'] }) {
  const facts: [string, ReactNode][] = [
    ['From', collectedFrom(collection)],
    ['On', <Instant key="at" at={collection.collected_at} />],
    ['Reference', <Reference key="reference" reference={collection.reference} />],
  ];
  return (
    <Block
      title="Collection"
      state={<State kind="payment" value={collection.state} />}
      microcents={collection.amount_microcents}
      facts={facts}
      note="Money that was taken before work started."
    />
  );
}

function Charge({ charge }: { charge: Receipt['charge'] }) {
  const facts: [string, ReactNode][] = [];
  if (charge.finalized_at) facts.push([chargeDates[charge.state], <Instant key="at" at={charge.finalized_at} />]);
  facts.push(['Because', charge.basis]);
  return (
    <Block
      title="Charge"
      state={<State kind="charge" value={charge.state} />}
      microcents={charge.amount_microcents}
      facts={facts}
      note={chargeNotes[charge.state]}
    />
  );
}

/** A correction is a job state; a refund or credit is a payment state. */
function RemedyState({ remedy }: { remedy: Receipt['remedy'] }) {
  if (remedy.kind === 'correction') {
    return remedy.state === 'delivered' ? (
      <State kind="job" value="redelivered" word="Delivered" />
    ) : (
      <State kind="job" value="rechecking" word="Under way" />
    );
  }
  return <State kind="payment" value={remedy.state} />;
}

const remedyNotes: Record<Exclude<Receipt['remedy']['kind'], 'none'>, string> = {
  correction: 'Work that makes up for a disputed report, at no further cost.',
  refund: 'The charge was waived, so the money goes back to where it came from: over x402, to the address that paid.',
  wallet_credit: 'No report was delivered. The x402 payment became credit and is not returned to the wallet.',
  reversal: 'Money taken back outside this service.',
};

function Remedy({ remedy }: { remedy: Receipt['remedy'] }) {
  if (remedy.kind === 'none') {
    return (
      <section className="border-t border-line px-5 py-4 text-dense text-ink-3 md:px-8">
        <h2 className="inline font-medium text-ink-2">Remedy</h2>: none was due.
      </section>
    );
  }
  const facts: [string, ReactNode][] = [['Kind', remedyKinds[remedy.kind]]];
  if (remedy.at) facts.push(['On', <Instant key="at" at={remedy.at} />]);
  if (remedy.reason) facts.push(['Reason', remedy.reason]);
  if (remedy.reference) {
    const { chain, id } = paymentReference(remedy.reference);
    facts.push(['Transaction', <Key key="reference">{chain ? `${id} (${chain})` : id}</Key>]);
  }
  return (
    <Block
      title="Remedy"
      state={<RemedyState remedy={remedy} />}
      microcents={remedy.amount_microcents}
      facts={facts}
      note={remedyNotes[remedy.kind]}
    />
  );
}

function Verification({ receipt }: { receipt: Receipt }) {
  return (
    <section aria-label="Signature">
      <SignatureCheck
        record={receipt}
        icons={{
          good: <ShieldCheck className="icon text-settled" />,
          open: <ShieldQuestionMark className="icon text-ink-3" />,
          bad: <ShieldAlert className="icon text-fault" />,
        }}
      />
      <dl className="facts mt-3 text-dense">
        <dt>Key</dt>
        <dd>
          <a href="/.well-known/jwks.json" className="link key">
            {receipt.signature.kid}
          </a>
        </dd>
        <dt>Method</dt>
        <dd>{receipt.signature.alg}</dd>
        {receipt.report_digest ? (
          <>
            <dt>Report</dt>
            <dd>
              <Digest digest={receipt.report_digest} />
            </dd>
          </>
        ) : null}
        <dt>Input</dt>
        <dd>
          <Digest digest={receipt.input_digest} />
        </dd>
      </dl>
      <details className="mt-3 text-dense text-ink-2">
        <summary className="cursor-pointer py-0.5 font-medium text-ink">How to verify it yourself</summary>
        <ol className="mt-2 list-decimal space-y-2 pl-5">
          <li>Take signature.jws from the JSON of this receipt: a compact JWS that carries its own payload.</li>
          <li>
            Verify it with the public key <Key>{receipt.signature.kid}</Key> of{' '}
            <a href="/.well-known/jwks.json" className="link">
              the published keys
            </a>
            .
          </li>
          <li>
            Its payload is the receipt without its signature, in the canonical form of RFC 8785. Compare it byte for
            byte.
          </li>
        </ol>
      </details>
    </section>
  );
}

interface Props extends Omit<Parties, 'seller' | 'buyer'> {
  receipt: Receipt;
  /** The same for the books. */
  books: BookkeepingReceipt;
  /** Every receipt of the job that the page could read, including this one. */
  chain: readonly Receipt[];
}

/** A receipt: seller and buyer, collection, charge and remedy, in that order, then the proof. */
export function ReceiptView({ receipt, books, chain, ...parties }: Props) {
  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem] lg:gap-12">
      <article className="panel min-w-0" aria-labelledby="receipt">
        <header className="flex flex-wrap items-start gap-x-8 gap-y-4 px-5 pt-7 pb-6 md:px-8">
          <div className="flex-1 basis-60">
            <div className="flex items-center gap-2">
              <Mark className="h-4 w-auto" />
              <span className="font-semibold">Work Check</span>
            </div>
            <h1 id="receipt" className="mt-5 text-h1">
              Receipt
            </h1>
          </div>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-dense md:mt-1">
            <dt className="text-ink-3">Number</dt>
            <dd>{books.number ?? 'Follows within a minute'}</dd>
            <dt className="text-ink-3">Signed as</dt>
            <dd className="key">{receipt.receipt_key}</dd>
            <dt className="text-ink-3">Issued</dt>
            <dd>
              <Instant at={receipt.issued_at} />
            </dd>
            <dt className="text-ink-3">In chain</dt>
            <dd>{receipt.sequence}, the newest</dd>
            <dt className="text-ink-3">For</dt>
            <dd>Check of one work</dd>
            <dt className="text-ink-3">Job</dt>
            <dd className="key">{receipt.job_key}</dd>
            <dt className="text-ink-3">Terms</dt>
            <dd>{receipt.terms_version}</dd>
          </dl>
        </header>
        <ReceiptParties {...parties} seller={books.seller} buyer={books.buyer} />
        <Collection collection={receipt.collection} />
        <Charge charge={receipt.charge} />
        <Remedy remedy={receipt.remedy} />
        <ReceiptTotal receipt={receipt} books={books} />
      </article>
      <aside className="min-w-0 space-y-8">
        <Verification receipt={receipt} />
        <section aria-labelledby="chain">
          <h2 id="chain" className="text-h3">
            Chain of receipts
          </h2>
          <ReceiptChain chain={chain} />
          {receipt.previous_receipt_digest ? (
            <p className="text-dense text-ink-3">
              This one names the digest of the one before it: <Digest digest={receipt.previous_receipt_digest} />
            </p>
          ) : (
            <p className="text-dense text-ink-3">Each later receipt will name the digest of the one before it.</p>
          )}
        </section>
      </aside>
    </div>
  );
}

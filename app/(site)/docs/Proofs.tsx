import { Key } from '@/components/ui/Key.tsx';

/** What digests and signatures cover, so that anyone can verify them offline. */
export function Proofs() {
  return (
    <>
      <p>
        A digest is <Key>sha256:</Key> and 64 hexadecimal digits. JSON is digested in its RFC 8785 form: sorted keys, no
        spaces, numbers as ECMAScript writes them, UTF-8.
      </p>
      <ul className="list-disc space-y-2 pl-5">
        <li>
          <Key>evidence[].digest</Key> covers the UTF-8 bytes of the text, as sent. A citation’s <Key>start</Key> and{' '}
          <Key>end</Key> are byte offsets into the same bytes; the end is exclusive.
        </li>
        <li>
          <Key>input_digest</Key> covers the request as sent, without <Key>idempotency_key</Key> and{' '}
          <Key>max_price_microcents</Key>, with each evidence item replaced by{' '}
          <Key>{'{"source", "observed_at", "digest"}'}</Key>. Plain text has the source <Key>evidence/INDEX</Key>;{' '}
          <Key>observed_at</Key> is null if you sent none.
        </li>
        <li>
          <Key>report_digest</Key> covers the report object as delivered; it is in the <Key>X-Report-Digest</Key> header
          of the report and in the job.
        </li>
        <li>
          <Key>signature.jws</Key> of a receipt is a compact JWS (RFC 7515), EdDSA over Ed25519. Its payload is the RFC
          8785 form of the receipt without <Key>signature</Key>; its header holds only <Key>alg</Key> and <Key>kid</Key>
          , the same as in <Key>signature</Key>.
        </li>
        <li>
          The keys stay at <Key>/.well-known/jwks.json</Key> forever, each with <Key>valid_from</Key> and{' '}
          <Key>valid_to</Key>: a receipt is valid if <Key>issued_at</Key> lies between them.
        </li>
        <li>
          <Key>previous_receipt_digest</Key> covers the payload of the receipt before it, and is null on the first.{' '}
          <Key>quote_digest</Key> covers these members of the quote: <Key>quote_key</Key>, <Key>service_key</Key>,{' '}
          <Key>contract_version</Key>, <Key>terms_version</Key>, <Key>created_at</Key>, <Key>expires_at</Key>,{' '}
          <Key>max_price_microcents</Key>, <Key>price_microcents</Key> (its <Key>price.amount_microcents</Key>),{' '}
          <Key>grant_digest</Key>, <Key>input_digest</Key>, <Key>evidence</Key>, <Key>planned_checks</Key>.
        </li>
        <li>
          <Key>grant_digest</Key> covers what the customer decided that the agent may buy: in the quote the decision it
          was asked for under, in the receipt the one under which its payment began. Both stand in{' '}
          <Key>grant_decisions</Key> beside the receipts of a job.
        </li>
        <li>
          Over x402 each 402 holds signed offers and each <Key>PAYMENT-RESPONSE</Key> a signed receipt (extension{' '}
          <Key>offer-receipt</Key>, JWS) by the same key, under the name of this domain in{' '}
          <Key>/.well-known/did.json</Key>. A refused payment has its code in <Key>PAYMENT-RESPONSE</Key>, too.
        </li>
        <li>
          <Key>work-check verify PURCHASE.json KEYS.json</Key> checks all of it again without account or network: the
          signatures, the chain, the quote, the grant, the input, each citation, check and proof. It names the first
          link that does not hold. <Key>/verify</Key> does the same in a browser. <Key>client/vectors.json</Key> holds
          good and tampered purchases for other verifiers.
        </li>
      </ul>
    </>
  );
}

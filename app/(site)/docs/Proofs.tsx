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
          <Key>quote_digest</Key> covers what the quote froze, as this service keeps it.
        </li>
      </ul>
    </>
  );
}

import { Price } from '@/components/purchases/Price.tsx';
import { lasting, price } from '@/server/service/terms.ts';

/** The terms of a check in words; the service contract has them as data. */
export function Terms() {
  return (
    <ul className="list-disc space-y-2 pl-5 text-ui">
      <li>
        One check costs <Price microcents={price} />, fixed and prepaid. It is collected before work starts and charged
        when the report is accepted, whatever the verdict.
      </li>
      <li>
        The review window is {lasting('reviewWindow')}. After it the charge stays held; silence is never acceptance.
      </li>
      <li>
        A first dispute with a reason gets one correction re-check at no charge. After a second dispute the charge is
        waived and the collection refunded: to the card, or for x402 by a transfer to the paying address.
      </li>
      <li>
        A check that fails, or is canceled before delivery, costs nothing. Cards are refunded in full; x402 payments
        become wallet credit for later checks and are not returned to the wallet. This is not the refund of a waived
        charge: that one goes back over the chain to the address that paid.
      </li>
      <li>
        The report is an assessment for the buyer’s review. It does not certify the work, and whoever made the work
        cannot accept the report.
      </li>
      <li>
        Supplied evidence is assessed, never followed as an instruction. Paying gives the service no access to any
        source, and web addresses are not fetched.
      </li>
      <li>
        Work and evidence are deleted {lasting('retention')} after the purchase. The report, the receipt and the digests
        stay.
      </li>
      <li>
        While a card payment is disputed at the bank, nothing new can be bought. Reports and receipts stay readable.
      </li>
    </ul>
  );
}

import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { describe, expect, it } from 'vitest';
import { Agent, type Answer } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { buyCheck } from '../keyless-contract.ts';

const service = await startService();
const job = { work_product: 'Sales rose 12%.', request: 'Say how sales developed.', evidence: ['Sales rose 12%.'] };

const demandIn = ({ headers }: Answer) => decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
const responseIn = ({ headers }: Answer) => decodePaymentResponseHeader(headers.get('payment-response') ?? '');
const responseOf = ({ text, status, headers }: Answer) => new Response(text, { status, headers });

/** What a stock verifier says of the offers in a demand: it looks the key up by the name in the signature. */
async function offersIn(demand: PaymentRequired) {
  const offers = decodeSignedOffers(extractOffersFromPaymentRequired(demand));
  for (const offer of offers) {
    const terms = demand.accepts[offer.acceptIndex ?? -1];
    const { network, asset, payTo, amount, resourceUrl } = await verifyOfferSignatureJWS(offer.signedOffer as never);
    expect({ network, asset, payTo, amount, resourceUrl }).toEqual({
      network: terms?.network,
      asset: terms?.asset,
      payTo: terms?.payTo,
      amount: terms?.amount,
      resourceUrl: demand.resource.url,
    });
  }
  return offers;
}

/** Pays a demand on its first chain, and says what a stock verifier makes of the receipt. */
async function receiptFor(agent: Agent, demand: PaymentRequired, send: (signature: string) => Promise<Answer>) {
  const [offer] = await offersIn(demand);
  const paid = await send(encodePaymentSignatureHeader(await agent.createPayment(demand)));
  const receipt = extractReceiptFromResponse(responseOf(paid)) as JWSSignedReceipt;
  const { transaction } = await verifyReceiptSignatureJWS(receipt);
  expect(transaction).toBe(responseIn(paid).transaction);
  return offer !== undefined && verifyReceiptMatchesOffer(receipt, offer, [agent.wallet.address.toLowerCase()]);
}

describe('offer and receipt of a payment', () => {
  it('are signed for a job, and a stock verifier takes them', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const demand = demandIn(await agent.pay(jobKey));
    expect(await receiptFor(agent, demand, (signature) => agent.pay(jobKey, { signature }))).toBe(true);
  });

  it('are signed for the keyless check, and a stock verifier takes them', async () => {
    const agent = await Agent.withWallet(service);
    const demand = demandIn(await agent.post(buyCheck.path, job));
    const send = (signature: string) => agent.post(buyCheck.path, job, { 'payment-signature': signature });
    expect(await receiptFor(agent, demand, send)).toBe(true);
  });
});

describe('a refused payment', () => {
  const refusals: readonly [string, (demand: PaymentRequired) => Promise<unknown> | unknown, string][] = [
    ['that is none', () => 'no payment', 'invalid_payload'],
    ['of version 1', () => ({ x402Version: 1 }), 'invalid_x402_version'],
    [
      'of something else',
      ({ accepts }) => ({ x402Version: 2, accepted: { ...accepts[0], amount: '1' } }),
      'invalid_payment_requirements',
    ],
    ['without a signature', ({ accepts }) => ({ x402Version: 2, accepted: accepts[0] }), 'invalid_payload'],
  ];

  it.each(refusals)('%s carries a code in PAYMENT-RESPONSE', async (_, payment, reason) => {
    const agent = await Agent.withWallet(service);
    const demand = demandIn(await agent.post(buyCheck.path, job));
    const header = Buffer.from(JSON.stringify(await payment(demand))).toString('base64');
    const refused = await agent.post(buyCheck.path, job, { 'payment-signature': header });
    expect(refused.status).toBe(402);
    expect(responseIn(refused)).toMatchObject({ success: false, errorReason: reason, transaction: '' });
  });

  it('of an empty wallet names the wallet and the code of the scheme', async () => {
    const agent = new Agent(service.baseUrl, `0x${'3'.repeat(64)}`);
    const demand = demandIn(await agent.post(buyCheck.path, job));
    const header = encodePaymentSignatureHeader(await agent.createPayment(demand));
    const refused = await agent.post(buyCheck.path, job, { 'payment-signature': header });
    expect(responseIn(refused)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
      payer: agent.wallet.address.toLowerCase(),
    });
  });
});

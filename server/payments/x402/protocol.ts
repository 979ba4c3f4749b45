import type {
  PaymentPayload,
  PaymentRequired as PaymentRequiredBody,
  PaymentRequirements,
  SettleResponse,
} from '@x402/core/types';
import { type Address, getAddress, type Hex } from 'viem';
import { z } from 'zod';
import type { Network } from '../../configuration/networks.ts';
import { PaymentRequired } from '../../problems/problem.ts';
import type { Attested } from '../rail.ts';
import { type SignedTransfer, unixSeconds } from './authorization.ts';
import { offerReceipt, signedOffers, signedReceipt } from './offer-receipt.ts';
import { tokenOf } from './token.ts';

/** What x402 version 2 says on the wire, scheme `exact` over EIP-3009. */

/** Lifetime of a signature. Short: an unknown outcome is certain only after it. */
export const maxTimeoutSeconds = 120;

/** For clients of version 1 (version 2 moved the payment to PAYMENT-SIGNATURE). */
export const version1Refusal = 'x402 version 1 is not taken: sign for version 2 and send it in PAYMENT-SIGNATURE';

/** What to sign: the price on each chain, for one resource. */
export interface Offer {
  requirements: PaymentRequirements[];
  resource: { url: string; description: string; mimeType: string };
  extensions?: Readonly<Record<string, unknown>>;
  attested: Attested;
  /** Until when the seller keeps to it. */
  validUntil: Date;
}

/** The payment in a PAYMENT-SIGNATURE header. Throws the 402 when unreadable or not offered. */
export function readPayment(header: string, offer: Offer): SignedTransfer {
  const sent = decode(header);
  const refuse = (reason: string, error: string) => refusedBy(offer, error, { reason });
  if (!sent)
    throw refuse('invalid_payload', 'The payment is no x402 payment payload: in PAYMENT-SIGNATURE, base64 of its JSON');
  const { x402Version, accepted, payload } = sent;
  if (x402Version === 1) throw refuse('invalid_x402_version', version1Refusal);
  if (x402Version !== 2) throw refuse('invalid_x402_version', 'x402Version is not 2');
  const requirement = offer.requirements.find((one) => mismatch(accepted, one) === null);
  if (!requirement)
    throw refuse('invalid_payment_requirements', `No matching payment requirements: ${whyNone(accepted, offer)}`);
  const { data: signed, error } = SignedAuthorization.safeParse(payload);
  if (!signed) {
    const where = ['payload', ...(error.issues[0]?.path ?? [])].join('.');
    throw refuse(
      'invalid_payload',
      `The payment holds no signed EIP-3009 authorization: ${where} is missing or malformed`,
    );
  }
  const transfer = transferOf(signed, requirement);
  const { to, value } = signed.authorization;
  const paysElse = 'The authorization does not pay what was asked for: payload.authorization';
  if (to.toLowerCase() !== transfer.authorization.to)
    throw refuse('invalid_exact_evm_payload_recipient_mismatch', `${paysElse}.to is not ${requirement.payTo}`);
  if (value !== requirement.amount)
    throw refuse('invalid_exact_evm_payload_authorization_value', `${paysElse}.value is not "${requirement.amount}"`);
  return transfer;
}

/** The extension by which a client names a payment, so that a repeat with another signature is the same purchase. */
const paymentIdentifier = 'payment-identifier';

/** The name that the client gave to the payment; null when it gave none, or none that may be one. */
export function identifierIn(header: string): string | null {
  const { success, data } = Identified.safeParse(decode(header));
  return success ? data.extensions[paymentIdentifier].info.id : null;
}

const Identified = z.looseObject({
  extensions: z.looseObject({
    [paymentIdentifier]: z.looseObject({ info: z.looseObject({ id: z.string().regex(/^[\w-]{16,128}$/) }) }),
  }),
});

/** The PAYMENT-RESPONSE header of a confirmed payment. */
export function paymentResponse(
  { payer, transaction, network }: { payer: string; transaction: string; network: string },
  attested: Attested,
): Record<string, string> {
  const extensions = { [offerReceipt]: signedReceipt({ payer, transaction, network }, attested) };
  const response: SettleResponse = { success: true, payer, transaction, network: network as Network, extensions };
  return { 'PAYMENT-RESPONSE': headerOf(response) };
}

/** Encodes a header message (x402 version 2); the packages do it character by character. */
function headerOf(message: SettleResponse | PaymentRequiredBody): string {
  return Buffer.from(JSON.stringify(message)).toString('base64');
}

/** What one chain asks for. */
export async function requirementFor(network: Network, amount: string, payTo: string): Promise<PaymentRequirements> {
  const { asset, name, version } = await tokenOf(network);
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds, extra: { name, version } };
}

type ClientAccepted = z.infer<typeof Payload>['accepted'];

/**
 * The first member of a client's `accepted` that differs from the offer; null when none does. `extra` may hold more.
 */
function mismatch(accepted: ClientAccepted, { extra, ...terms }: PaymentRequirements): string | null {
  const differs = (wanted: Record<string, unknown>, sent: Record<string, unknown> = {}) =>
    Object.keys(wanted).find((name) => sent[name] !== wanted[name]);
  const term = differs(terms, accepted);
  if (term !== undefined) return term;
  const inExtra = differs(extra, accepted?.extra);
  return inExtra === undefined ? null : `extra.${inExtra}`;
}

/** The members of `accepted` that match no offer. */
function whyNone(accepted: ClientAccepted, { requirements }: Offer): string {
  const asWanted = 'copy one entry of accepts as it is';
  if (!accepted) return `accepted is missing: ${asWanted}`;
  const sameChain = requirements.find(({ network }) => network === accepted.network);
  if (!sameChain) return `accepted.network is none of ${requirements.map(({ network }) => network).join(', ')}`;
  return `accepted.${mismatch(accepted, sameChain)} differs from what was offered: ${asWanted}`;
}

/** The 402 that asks for, or refuses, a payment. */
export function demandOf(offer: Offer, error: string): PaymentRequired {
  const body: PaymentRequiredBody = {
    x402Version: 2,
    error,
    resource: offer.resource,
    accepts: offer.requirements,
    extensions: {
      ...offer.extensions,
      [offerReceipt]: signedOffers(offer.requirements, offer.attested, offer.validUntil),
    },
  };
  return new PaymentRequired({ ...body }, { 'PAYMENT-REQUIRED': headerOf(body), 'Cache-Control': 'no-store' });
}

/** The 402 that refuses a payment, with the code that clients of x402 switch on in PAYMENT-RESPONSE. */
export function refusedBy(
  offer: Offer,
  error: string,
  { reason, authorization }: { reason: string; authorization?: SignedTransfer['authorization'] },
): PaymentRequired {
  const demand = demandOf(offer, error);
  const network = (authorization?.network ?? offer.requirements[0]?.network ?? 'eip155:0') as Network;
  const failure = { success: false, errorReason: reason, transaction: '', network } satisfies SettleResponse;
  const response = authorization ? { ...failure, payer: authorization.from } : failure;
  return new PaymentRequired(demand.body, { ...demand.headers, 'PAYMENT-RESPONSE': headerOf(response) });
}

/** The facilitator's request body. */
export async function wireForm({ authorization, signature }: SignedTransfer): Promise<{
  x402Version: 2;
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}> {
  const { network, from, to, nonce } = authorization;
  const value = authorization.amount.toString();
  const accepted = await requirementFor(network, value, getAddress(to));
  const validAfter = unixSeconds(authorization.validAfter).toString();
  const validBefore = unixSeconds(authorization.validBefore).toString();
  const signed = { from: getAddress(from), to: getAddress(to), value, validAfter, validBefore, nonce };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, payload: { signature, authorization: signed }, accepted },
    paymentRequirements: accepted,
  };
}

/** A buyer's message, not verified yet (x402 version 2, PaymentPayload). */
const Payload = z.looseObject({
  x402Version: z.unknown(),
  accepted: z.looseObject({ extra: z.looseObject({}).optional() }).optional(),
  payload: z.looseObject({}).optional(),
});

/** The payload of the scheme "exact" that moves money by EIP-3009. */
const SignedAuthorization = z.looseObject({
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){1,4096}$/),
  authorization: z.looseObject({
    from: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    to: z.string(),
    value: z.string(),
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    validAfter: z.string().regex(/^\d{1,12}$/),
    validBefore: z.string().regex(/^\d{1,12}$/),
  }),
});

/** The payment in a header; null when it is none. */
function decode(header: string): z.infer<typeof Payload> | null {
  try {
    return Payload.parse(JSON.parse(Buffer.from(header, 'base64').toString()));
  } catch {
    return null;
  }
}

function transferOf(
  { authorization, signature }: z.infer<typeof SignedAuthorization>,
  requirement: PaymentRequirements,
): SignedTransfer {
  const { from, nonce, validAfter, validBefore } = authorization;
  return {
    signature: signature as Hex,
    authorization: {
      network: requirement.network as Network,
      asset: requirement.asset.toLowerCase() as Address,
      from: from.toLowerCase() as Address,
      to: requirement.payTo.toLowerCase() as Address,
      nonce: nonce.toLowerCase() as Hex,
      amount: BigInt(requirement.amount),
      validAfter: new Date(Number(validAfter) * 1000),
      validBefore: new Date(Number(validBefore) * 1000),
    },
  };
}

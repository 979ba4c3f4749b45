import { type Queries, sqlState, uniqueViolation } from '../../kernel/database.ts';
import { toText } from '../../kernel/money.ts';
import { Problem } from '../../problems/problem.ts';
import type { Accepted, Demand, Listing, PaymentRequest, Presented } from '../rail.ts';
import { railUnavailable } from '../unavailable.ts';
import { attemptOf, recordIntent, type TransferAttempt } from './attempt.ts';
import type { SignedTransfer } from './authorization.ts';
import { fateOf, lookUpOpen, type Proof, settleOpen } from './outcome.ts';
import { demandOf, identifierIn, type Offer, readPayment, refusedBy, version1Refusal } from './protocol.ts';
import type { Stablecoins } from './stablecoins.ts';
import { codeOf, saysUsed } from './token-refusals.ts';
import { refundNonceOf, transactionUsing } from './transfers.ts';

/** Reads the request's signed transfer, or asks for one. */
export async function present(
  coins: Stablecoins,
  request: PaymentRequest,
): Promise<Presented<TransferAttempt, Proof> | Demand> {
  const asked = await coins.offer(request.price, request.url, request.network);
  const offer = listed({ ...asked, attested: request, validUntil: request.payBy }, request.listing);
  if (request.signature === null) {
    if (offer.requirements.length === 0) return unsupportedNetwork(coins);
    return demandOf(offer, request.isVersion1 ? version1Refusal : paymentRequired(request));
  }
  const transfer = readPayment(request.signature, offer);
  // Ask chain and database concurrently: most signatures are new.
  const judged = judge(coins, transfer, request);
  judged.catch(() => {});
  return {
    payer: transfer.authorization.from,
    name: identifierIn(request.signature) ?? transfer.authorization.nonce,
    known: (db) => attemptOf(db, transfer.authorization),
    resume: (attempt) => resume(request.db, coins, attempt, transfer),
    accepted: async () => accepted(coins, request, { offer, transfer }, await judged),
  };
}

/** The offer with what directories read. */
function listed(offer: Offer, listing: Listing | undefined): Offer {
  if (!listing) return offer;
  const { extensions, ...words } = listing;
  return { ...offer, resource: { ...offer.resource, ...words }, extensions };
}

/** Stock x402 clients stop at 1 USD per payment until configured: say how. */
function paymentRequired({ price }: PaymentRequest): string {
  return (
    `Payment required: x402 version 2. Allow your client exactly ${toText(price)} a payment ` +
    '(client.setSpendControls({ maxAmountPerPayment: "$5" })): stock clients stop at 1 USD'
  );
}

function unsupportedNetwork({ networks }: Stablecoins): Problem {
  const detail = `Supported networks are ${networks.join(' and ')}.`;
  return new Problem('validation_failed', detail, {
    errors: [{ pointer: '/network', code: 'unsupported_network', detail }],
  });
}

/** A valid transfer can open an attempt; throws the 402 with the reason otherwise. */
function accepted(
  coins: Stablecoins,
  request: PaymentRequest,
  { offer, transfer }: { offer: Offer; transfer: SignedTransfer },
  { refusal, wasUsed, head }: Judgement,
): Accepted<TransferAttempt, Proof> {
  if (refusal) {
    throw refusedBy(offer, refusal, { reason: codeOf(refusal), authorization: transfer.authorization });
  }
  return {
    async open(paymentKey, taking) {
      const { jobKey, principalKey, grantDigest, price: amount, now } = request;
      try {
        return await recordIntent(request.db, {
          paymentKey,
          taking,
          jobKey,
          principalKey,
          grantDigest,
          amount,
          transfer,
          head,
          now,
        });
      } catch (error) {
        if (sqlState(error) === uniqueViolation) return undefined;
        throw error;
      }
    },
    // Look up what happened before, never resend: its money may have gone back.
    settle: async (attempt) =>
      fateOf(await (wasUsed ? lookUpOpen(request.db, coins, attempt) : settleOpen(coins, attempt, transfer))),
  };
}

/** A signature moves money at most once, so carrying it out again is safe. */
async function resume(db: Queries, coins: Stablecoins, attempt: TransferAttempt, transfer: SignedTransfer) {
  const onChain = await lookUpOpen(db, coins, attempt);
  return fateOf(onChain.outcome === 'unused' ? await settleOpen(coins, attempt, transfer) : onChain);
}

/** The answer to a transfer that paid something else. */
const alreadyCarriedOut = 'invalid_exact_evm_nonce_already_used: already carried out; listed for return';

/** The answer to a transfer whose money went back. */
const givenBack = 'invalid_exact_evm_nonce_already_used: already carried out, and given back';

/** When to present a used authorization again whose transaction the chain does not show. */
const usedAgainSeconds = 30;

interface Judgement {
  /** Null when the chain would carry it out, or did so for this buyer. */
  refusal: string | null;
  wasUsed: boolean;
  /** Chain head from before the payment could happen for this job. */
  head: bigint;
}

/**
 * Judges a transfer by the chain. If it was carried out already, it may have paid us: then, and while it is not deep
 * enough, don't refuse the wallet that signed it. Throws `service_unavailable` when nobody can carry it out, and
 * `payment_unknown` when the chain calls it used and shows no transaction: such a payment might never end.
 */
async function judge(
  coins: Stablecoins,
  transfer: SignedTransfer,
  { db, now, principalKey }: PaymentRequest,
): Promise<Judgement> {
  const { authorization } = transfer;
  const [isReachable, refusal, head] = await Promise.all([
    coins.isReachable(now),
    coins.refusal(transfer, now),
    coins.head(authorization.network),
  ]).catch(() => {
    throw railUnavailable('x402', ['chain_unreachable']);
  });
  if (!isReachable) throw railUnavailable('x402', ['facilitator_unreachable']);
  if (!refusal || !saysUsed(refusal)) return { refusal, wasUsed: false, head };
  const used = { wasUsed: true, head };
  if (authorization.from !== principalKey) return { refusal: alreadyCarriedOut, ...used };
  const hint = await transactionUsing(db, authorization);
  const onChain = await coins.lookUp(authorization, { seenAt: now, hint }).catch(() => null);
  if (onChain === null || (onChain.outcome === 'unconfirmed' && !onChain.isFound)) {
    throw new Problem(
      'payment_unknown',
      'The chain says that this authorization was used and does not show for what. Present the same one again later; do not sign another.',
      { headers: { 'Retry-After': String(usedAgainSeconds) } },
    );
  }
  if (onChain.outcome === 'unconfirmed') return { refusal: null, ...used };
  if (onChain.outcome !== 'paid') return { refusal, ...used };
  const isGivenBack = await coins.isGivenBack(authorization, refundNonceOf(authorization)).catch(() => false);
  return { refusal: isGivenBack ? givenBack : null, ...used };
}

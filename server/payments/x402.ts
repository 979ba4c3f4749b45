import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { isEIP3009Payload } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import type { Address, Hex } from 'viem';
import type { Network, X402Configuration } from '../kernel/env.ts';
import { type Microcents, toTokenUnits } from '../kernel/money.ts';
import { PaymentRequired, Problem } from '../kernel/problem.ts';
import { type Authorization, type Chain, type OnChain, openChain } from './chain.ts';

/** How long a signed payment stays good. Short, because an unknown outcome is certain only after it. */
const maxTimeoutSeconds = 120;
/** Past this the outcome of a call is unknown and the chain decides. */
const facilitatorTimeoutMs = 20_000;

/** What a buyer is asked to sign: the price on each supported chain, for one resource. */
export interface Offer {
  requirements: PaymentRequirements[];
  resource: { url: string; description: string; mimeType: string };
}

/** A payment that a buyer signed, matched with the requirement it accepts. */
export interface SignedPayment {
  payload: PaymentPayload;
  requirement: PaymentRequirements;
  authorization: Authorization;
}

/** The stablecoin rail: x402 v2, scheme `exact` over EIP-3009, on every configured chain. */
export interface X402Rail {
  readonly networks: readonly Network[];
  /** Whether the facilitator answers. Asked again at most every 30 seconds. */
  isReachable(now: Date): Promise<boolean>;
  offer(amount: Microcents, jobUrl: string, network: string | undefined): Promise<Offer>;
  /** The 402 that asks for, or refuses, a payment. */
  demand(offer: Offer, error: string): Promise<PaymentRequired>;
  /** The payment in a PAYMENT-SIGNATURE header. Throws `malformed_request`, or the 402 when it matches no offer. */
  read(header: string, offer: Offer): Promise<SignedPayment>;
  /** Null when the facilitator would carry it out, else its reason against. Moves nothing. */
  refusal(payment: SignedPayment): Promise<string | null>;
  /** Asks the facilitator to carry the payment out, then the chain what became of it. Throws when neither can tell. */
  settle(payment: SignedPayment): Promise<OnChain>;
  /** What the chain says about a payment made earlier. */
  lookUp(authorization: Authorization): Promise<OnChain>;
}

/** Opens the rail. Nothing is called yet: a facilitator that is down must not keep the service from starting. */
export function openX402(configuration: X402Configuration): X402Rail {
  const server = new x402ResourceServer(
    new HTTPFacilitatorClient({ url: configuration.facilitatorUrl, timeoutMs: facilitatorTimeoutMs }),
  );
  const chains = new Map<Network, Chain>();
  for (const network of configuration.networks) {
    server.register(network, new ExactEvmScheme());
    const rpcUrl = configuration.rpcUrls[network];
    if (!rpcUrl) throw new Error(`no RPC address for ${network}`);
    chains.set(network, openChain(rpcUrl, configuration.confirmations));
  }
  const chainOf = (network: Network): Chain => {
    const chain = chains.get(network);
    if (!chain) throw new Error(`${network} is not configured`);
    return chain;
  };
  const reachability = rememberFor(reachableForMs, async () => {
    try {
      await server.initialize();
      return configuration.networks.every((network) => server.getSupportedKind(2, network, 'exact'));
    } catch {
      return false;
    }
  });

  const demand = async (offer: Offer, error: string) => {
    const body = await server.createPaymentRequiredResponse(offer.requirements, offer.resource, error);
    return new PaymentRequired(
      { ...body },
      { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(body), 'Cache-Control': 'no-store' },
    );
  };

  return {
    networks: configuration.networks,
    isReachable: reachability,
    async offer(amount, jobUrl, network) {
      const wanted = configuration.networks.filter((name) => network === undefined || name === network);
      const requirements = await server.buildPaymentRequirementsFromOptions(
        wanted.map((name) => ({
          scheme: 'exact',
          network: name,
          payTo: configuration.payTo,
          price: dollars(amount),
          maxTimeoutSeconds,
        })),
        {},
      );
      for (const { amount: units } of requirements) {
        if (units !== toTokenUnits(amount)) throw new Error('the offer does not equal the price');
      }
      return {
        requirements,
        resource: { url: jobUrl, description: 'One work check', mimeType: 'application/json' },
      };
    },
    demand,
    async read(header, offer) {
      const payload = decode(header);
      const requirement = server.findMatchingRequirements(offer.requirements, payload);
      if (!requirement || !isEIP3009Payload(payload.payload as never)) {
        throw await demand(offer, 'No matching payment requirements');
      }
      return { payload, requirement, authorization: authorizationOf(payload, requirement) };
    },
    async refusal(payment) {
      const answer = await server.verifyPayment(payment.payload, payment.requirement);
      return answer.isValid ? null : (answer.invalidReason ?? 'invalid_payment');
    },
    async settle(payment) {
      const chain = chainOf(payment.authorization.network);
      const answer = await server.settlePayment(payment.payload, payment.requirement).catch(() => null);
      const hint = answer?.transaction ? (answer.transaction as Hex) : undefined;
      return chain.read(payment.authorization, hint);
    },
    lookUp: (authorization) => chainOf(authorization.network).read(authorization),
  };
}

/** The PAYMENT-RESPONSE header of a payment that the chain confirms. */
export function paymentResponse(payer: string, transaction: string, network: string): Record<string, string> {
  const response: SettleResponse = { success: true, payer, transaction, network: network as Network };
  return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(response) };
}

const reachableForMs = 30_000;

/** Asks at most once per period, and once for all who ask at the same time. */
function rememberFor(periodMs: number, ask: () => Promise<boolean>): (now: Date) => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<boolean> = Promise.resolve(false);
  return async (now) => {
    if (now.getTime() - askedAt >= periodMs) {
      askedAt = now.getTime();
      answer = ask();
      // A failure is asked about again at once, so that a restarted facilitator is found.
      if (!(await answer)) askedAt = Number.NEGATIVE_INFINITY;
    }
    return answer;
  };
}

function decode(header: string): PaymentPayload {
  try {
    return decodePaymentSignatureHeader(header);
  } catch {
    throw new Problem('malformed_request', 'PAYMENT-SIGNATURE is not base64 of an x402 payment payload.');
  }
}

function authorizationOf(payload: PaymentPayload, requirement: PaymentRequirements): Authorization {
  const { authorization } = payload.payload as { authorization: Record<string, string> };
  const { from, nonce, validBefore } = authorization;
  if (
    !/^0x[0-9a-fA-F]{40}$/.test(from ?? '') ||
    !/^0x[0-9a-fA-F]{64}$/.test(nonce ?? '') ||
    !/^\d{1,12}$/.test(validBefore ?? '')
  ) {
    throw new Problem('malformed_request', 'PAYMENT-SIGNATURE holds no EIP-3009 authorization.');
  }
  return {
    network: requirement.network as Network,
    asset: requirement.asset.toLowerCase() as Address,
    from: String(from).toLowerCase() as Address,
    to: requirement.payTo.toLowerCase() as Address,
    nonce: String(nonce).toLowerCase() as Hex,
    amount: BigInt(requirement.amount),
    validBefore: new Date(Number(validBefore) * 1000),
  };
}

/** `$5`, `$0.000001`: the exact dollars of an amount that is whole token units. */
function dollars(amount: Microcents): string {
  const units = BigInt(toTokenUnits(amount));
  const fraction = (units % 1_000_000n).toString().padStart(6, '0');
  return `$${units / 1_000_000n}.${fraction}`;
}

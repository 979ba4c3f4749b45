import type {
  PaymentPayload,
  PaymentRequired as PaymentRequiredBody,
  PaymentRequirements,
  SettleResponse,
} from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { type Address, getAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Network, X402Configuration } from '../../configuration.ts';
import { PaymentRequired } from '../../door/problem.ts';
import { jsonService } from '../../kernel/json-http.ts';
import { type Microcents, toTokenUnits } from '../../kernel/money.ts';
import {
  type Authorization,
  type Chain,
  type LastSearch,
  type OnChain,
  openChain,
  type Searched,
  type SignedTransfer,
  type Trace,
  unixSeconds,
} from './chain.ts';
import type { LoggedTransfer } from './logs.ts';
import { openReachability } from './reachability.ts';
import { insufficientBalance } from './token-refusals.ts';

/** How long a signed payment stays good. Short, because an unknown outcome is certain only after it. */
const maxTimeoutSeconds = 120;
/** A payer's clock may be wrong; a signature that is good for longer than this would leave its outcome open as long. */
const validityMaxMs = 3_600_000;
/** Less than this could run out on the way to the chain. */
const validityMinMs = 6_000;
/** Past this the outcome of a call is unknown and the chain decides. */
const facilitatorTimeoutMs = 20_000;

/** What a client of the first version is told (x402 version 2 moved the payment to PAYMENT-SIGNATURE). */
export const version1Refusal = 'x402 version 1 is not taken: sign for version 2 and send it in PAYMENT-SIGNATURE';

/** What is read of a facilitator's answers. Its word on success counts for nothing: the chain is asked. */
const Settled = z.object({ transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });

/** What a buyer is asked to sign: the price on each supported chain, for one resource. */
export interface Offer {
  requirements: PaymentRequirements[];
  resource: { url: string; description: string; mimeType: string };
}

/** The stablecoin rail: x402 v2, scheme `exact` over EIP-3009, on every configured chain. */
export interface X402Rail {
  readonly networks: readonly Network[];
  /** Whether the facilitator answers, asked again first when that is long known. */
  isReachable(now: Date): Promise<boolean>;
  /** What is known of the providers now, without waiting for them. */
  reachable(now: Date): Promise<{ facilitator: boolean; networks: readonly Network[] }>;
  /** The same of the rail as a whole, at once: true while nothing is known. A look that is due is begun. */
  seemsReachable(now: Date): boolean;
  /** What to sign on each chain, or on `network` alone; empty when that is none of ours. */
  offer(amount: Microcents, jobUrl: string, network: string | undefined): Promise<Offer>;
  /** The 402 that asks for, or refuses, a payment. */
  demand(offer: Offer, error: string): PaymentRequired;
  /** The payment in a PAYMENT-SIGNATURE header. Throws the 402 when it cannot be read or matches no offer. */
  read(header: string, offer: Offer): SignedTransfer;
  /**
   * Why a transfer that was not seen before is not taken: its time, or what the chain says. Null when it would be carried
   * out now. Moves nothing. Throws when the chain is silent.
   */
  refusal(transfer: SignedTransfer, now: Date): Promise<string | null>;
  /**
   * Asks the facilitator to carry the transfer out, then the chain what became of it. The same transfer moves money
   * once at most, so asking again is always safe. Throws when the chain cannot tell.
   */
  settle(transfer: SignedTransfer, seenAt: Date): Promise<OnChain>;
  /** What the chain says about a transfer. */
  lookUp(authorization: Authorization, trace: Trace): Promise<OnChain>;
  /** The highest block of a chain that this process has been told of. */
  head(network: Network): Promise<bigint>;
  /** Whether the chain has seen the transfer back that has this nonce: `refundNonceOf`. */
  isGivenBack(payment: Pick<Authorization, 'network' | 'asset' | 'to'>, refundNonce: Hex): Promise<boolean>;
  /** Names the transfers to and from the address that is paid here, from where the last search of this chain ended. */
  search(network: Network, last: LastSearch | null): Promise<Searched | null>;
  /** The transfers of a transaction to and from that address; null while the chain does not show it. */
  transfersIn(network: Network, transaction: Hex): Promise<LoggedTransfer[] | null>;
  /** The hash of a block of the chain; null for one that the node has not. */
  blockHash(network: Network, block: bigint): Promise<Hex | null>;
  /** What that address holds at the end of a block, in the token's smallest units. */
  balanceAt(network: Network, block: bigint): Promise<bigint>;
  /** The newest block that no reorganisation removes any more. */
  finalized(network: Network): Promise<bigint>;
  /** The token on a chain, in lower case. */
  assetOf(network: Network): Promise<Address>;
  /** The address that is paid here, in lower case. */
  readonly payTo: Address;
  /** Whether money goes back only once its arrival is final. */
  readonly refundsWaitForFinality: boolean;
  /** The address whose transfers can be signed here, in lower case: money goes back only from there. Null without a key. */
  readonly refundsFrom: Address | null;
  /** Signs a transfer from that address. */
  sign(authorization: Authorization): Promise<SignedTransfer>;
}

/** Opens the rail. Nothing is called yet: a facilitator that is down must not keep the service from starting. */
export function openX402(configuration: X402Configuration): X402Rail {
  const { networks, payTo, refundKey } = configuration;
  const facilitator = jsonService(configuration.facilitatorUrl, facilitatorTimeoutMs);
  const paidTo = payTo.toLowerCase() as Address;
  const account = refundKey ? privateKeyToAccount(refundKey) : null;
  const chains = new Map<Network, Chain>();
  for (const network of networks) {
    const rpcUrl = configuration.rpcUrls[network];
    if (!rpcUrl) throw new Error(`no RPC address for ${network}`);
    chains.set(network, openChain(rpcUrl, configuration.confirmations[network]));
  }
  const chainOf = (network: Network): Chain => {
    const chain = chains.get(network);
    if (!chain) throw new Error(`${network} is not configured`);
    return chain;
  };
  const reachability = openReachability(configuration);

  return {
    networks,
    isReachable: (now) => reachability.facilitator.isUp(now),
    seemsReachable: (now) => reachability.seemsUp(now),
    async reachable(now) {
      const [facilitator, reached] = await Promise.all([
        reachability.facilitator.wasUp(now),
        reachability.networks(now),
      ]);
      return { facilitator, networks: reached };
    },
    async offer(amount, jobUrl, network) {
      const wanted = networks.filter((name) => network === undefined || name === network);
      return {
        requirements: await Promise.all(wanted.map((name) => requirementFor(name, toTokenUnits(amount), payTo))),
        resource: { url: jobUrl, description: 'One work check', mimeType: 'application/json' },
      };
    },
    demand: demandOf,
    read(header, offer) {
      const sent = decode(header);
      if (!sent) throw demandOf(offer, 'The payment is not base64 of an x402 payment payload');
      const { x402Version, accepted, payload } = sent;
      if (x402Version === 1) throw demandOf(offer, version1Refusal);
      const requirement = offer.requirements.find((one) => x402Version === 2 && accepts(accepted, one));
      if (!requirement || !payload || !('authorization' in payload)) {
        throw demandOf(offer, 'No matching payment requirements');
      }
      const signed = SignedAuthorization.safeParse(payload).data;
      if (!signed) throw demandOf(offer, 'The payment holds no EIP-3009 authorization');
      const transfer = transferOf(signed, requirement);
      const { to, value } = signed.authorization;
      if (to.toLowerCase() !== transfer.authorization.to || value !== requirement.amount) {
        throw demandOf(offer, 'The authorization does not pay what was asked for');
      }
      return transfer;
    },
    async refusal(transfer, now) {
      const leftMs = transfer.authorization.validBefore.getTime() - now.getTime();
      if (leftMs < validityMinMs || leftMs > validityMaxMs) {
        return `validBefore must lie ${maxTimeoutSeconds} seconds ahead`;
      }
      const { network } = transfer.authorization;
      const refused = await chainOf(network).refusal(transfer);
      const others = networks.filter((other) => other !== network);
      if (refused !== insufficientBalance || others.length === 0) return refused;
      return `${refused}: USDC on ${others.join(' or ')} is taken, too`;
    },
    async settle(transfer, seenAt) {
      const answer = await facilitator.call('/settle', await wireForm(transfer)).catch(() => null);
      const hint = Settled.safeParse(answer).data?.transaction as Hex | undefined;
      return chainOf(transfer.authorization.network).read(transfer.authorization, { seenAt, hint });
    },
    lookUp: (authorization, trace) => chainOf(authorization.network).read(authorization, trace),
    head: (network) => chainOf(network).head(),
    isGivenBack: ({ network, asset, to }, nonce) => chainOf(network).isUsed({ asset, from: to, nonce }),
    async search(network, last) {
      return chainOf(network).search({ asset: await assetOf(network), address: payTo }, last);
    },
    async transfersIn(network, transaction) {
      const transfers = await chainOf(network).transfersIn(transaction, await assetOf(network));
      const touchUs = transfers?.filter(({ from, to }) => from !== to && (from === paidTo || to === paidTo));
      return touchUs ?? null;
    },
    blockHash: (network, block) => chainOf(network).blockHash(block),
    async balanceAt(network, block) {
      return chainOf(network).balanceAt({ asset: await assetOf(network), owner: payTo }, block);
    },
    finalized: (network) => chainOf(network).finalized(),
    assetOf,
    payTo: paidTo,
    refundsWaitForFinality: configuration.refundsWaitForFinality,
    refundsFrom: account ? (account.address.toLowerCase() as Address) : null,
    async sign(authorization) {
      if (!account) throw new Error('there is no key that signs transfers');
      const { name, version } = await tokenOf(authorization.network);
      const signature = await account.signTypedData({
        domain: {
          name,
          version,
          chainId: Number(authorization.network.slice('eip155:'.length)),
          verifyingContract: getAddress(authorization.asset),
        },
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: {
          from: authorization.from,
          to: authorization.to,
          value: authorization.amount,
          validAfter: unixSeconds(authorization.validAfter),
          validBefore: unixSeconds(authorization.validBefore),
          nonce: authorization.nonce,
        },
      });
      return { authorization, signature };
    },
  };
}

/** The PAYMENT-RESPONSE header of a payment that the chain confirms. */
export function paymentResponse(payer: string, transaction: string, network: string): Record<string, string> {
  const response: SettleResponse = { success: true, payer, transaction, network: network as Network };
  return { 'PAYMENT-RESPONSE': headerOf(response) };
}

/** A message as its header carries it (x402 version 2): the packages make it character by character. */
function headerOf(message: SettleResponse | PaymentRequiredBody): string {
  return Buffer.from(JSON.stringify(message)).toString('base64');
}

const assetOf = async (network: Network): Promise<Address> => (await tokenOf(network)).asset.toLowerCase() as Address;

interface Token {
  asset: string;
  name: string;
  version: string;
}
const tokens = new Map<Network, Promise<Token>>();

/** USDC on a chain: its address and the domain that its signatures name, from the table of the x402 packages. */
function tokenOf(network: Network): Promise<Token> {
  const known = tokens.get(network) ?? readToken(network);
  tokens.set(network, known);
  return known;
}

async function readToken(network: Network): Promise<Token> {
  const { amount, asset, extra } = await new ExactEvmScheme().parsePrice('$1', network);
  if (amount !== '1000000') throw new Error(`the token on ${network} has no six decimals`);
  return { asset, name: String(extra?.name), version: String(extra?.version) };
}

async function requirementFor(network: Network, amount: string, payTo: string): Promise<PaymentRequirements> {
  const { asset, name, version } = await tokenOf(network);
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds, extra: { name, version } };
}

/** Whether a client's `accepted` is this requirement. `extra` may say more than ours. */
function accepts(accepted: z.infer<typeof Payload>['accepted'], requirement: PaymentRequirements): boolean {
  if (!accepted) return false;
  const { extra, ...terms } = requirement;
  return (
    Object.entries(terms).every(([name, value]) => accepted[name] === value) &&
    Object.entries(extra).every(([name, value]) => accepted.extra?.[name] === value)
  );
}

function demandOf(offer: Offer, error: string): PaymentRequired {
  const body: PaymentRequiredBody = {
    x402Version: 2,
    error,
    resource: offer.resource,
    accepts: offer.requirements,
  };
  return new PaymentRequired({ ...body }, { 'PAYMENT-REQUIRED': headerOf(body), 'Cache-Control': 'no-store' });
}

/** The body in which facilitators take a signed transfer. */
async function wireForm({ authorization, signature }: SignedTransfer): Promise<{
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

/** What a buyer sends, before anything in it is believed (x402 version 2, PaymentPayload). */
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

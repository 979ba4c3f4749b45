import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  custom,
  encodeFunctionData,
  getContractError,
  type Hex,
  isAddressEqual,
  type Log,
  pad,
  parseAbi,
  parseEventLogs,
  prepareEncodeFunctionData,
  RpcRequestError,
  toEventSelector,
} from 'viem';
import type { Network } from '../kernel/env.ts';
import { jsonService } from '../kernel/json-http.ts';

/** One EIP-3009 transfer: what the signature of `from` lets anyone carry out once. */
export interface Authorization {
  network: Network;
  asset: Address;
  from: Address;
  to: Address;
  nonce: Hex;
  /** In the token's smallest units. */
  amount: bigint;
  validAfter: Date;
  /** Past this instant the token refuses the transfer for good. */
  validBefore: Date;
}

/** A transfer of the token with the signature of its payer: anyone may carry it out, once. */
export interface SignedTransfer {
  authorization: Authorization;
  signature: Hex;
}

/**
 * What the chain says about an authorization. Only the chain can say it: a facilitator's failure or silence is no
 * proof that no money moved.
 */
export type OnChain =
  | { outcome: 'paid'; transaction: Hex }
  /** Seen, but under fewer blocks than the configuration asks for, or by one node and not yet by the next. */
  | { outcome: 'unconfirmed' }
  /** Not used so far; it can still be. */
  | { outcome: 'unused' }
  /** It can no longer move the money: expired, canceled, or used for something else. */
  | { outcome: 'never' };

/** Whether a chain that keeps time says by now that a transfer which did not happen never will. */
export function hasRunOut(validBefore: Date, now: Date): boolean {
  return now.getTime() > validBefore.getTime() + expiryMarginMs + chainLagMs;
}

/** Whether this is how it ended. */
export function isFinal(onChain: OnChain): onChain is Extract<OnChain, { outcome: 'paid' | 'never' }> {
  return onChain.outcome === 'paid' || onChain.outcome === 'never';
}

const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, , authorizationUsed, transferred] = token;
/** Its selector is hashed once. */
const transfer = prepareEncodeFunctionData({ abi: token, functionName: 'transferWithAuthorization' });

const rpcTimeoutMs = 5_000;
/** Public nodes answer log queries over about this many blocks at once. */
const logWindowBlocks = 9_000n;
/** With blocks of a quarter of a second, this many windows reach back more than a day. */
const logWindowsMax = 50;
/** A search begins so many blocks before the end of the last one: what they hold may have changed. */
const searchOverlapBlocks = 100n;
/** A block may carry a time a little behind the one before which it was accepted. */
const expiryMarginMs = 15_000;
/** How long a chain may be behind our clock. */
const chainLagMs = 5_000;
/** How long before we first saw an authorization somebody may have carried it out. */
const usedBeforeMs = 3_600_000;

export interface Chain {
  /**
   * Null when the token would carry the transfer out now, else why not, in the words that x402 has for it: the
   * signature, the balance, the time and the nonce are all judged by the token itself. Moves nothing.
   */
  refusal(transfer: SignedTransfer): Promise<string | null>;
  /** What became of an authorization first seen at `seenAt`. `hint` is a transaction that may hold it. */
  read(authorization: Authorization, seenAt: Date, hint?: Hex): Promise<OnChain>;
  /**
   * Confirmed transfers of `asset` to `to`, from a little before the block where the last search ended, and where this
   * one did. The first search begins a little in the past.
   */
  arrivals(
    of: { asset: Address; to: Address },
    scannedTo: bigint | null,
  ): Promise<{ arrivals: Arrival[]; scannedTo: bigint }>;
  /** The nonce of the authorization of `from` that a transaction used; null when it used none. */
  nonceIn(transaction: Hex, of: { asset: Address; from: Address }): Promise<Hex | null>;
}

/** A transfer to us, as the chain shows it. */
export interface Arrival {
  transaction: Hex;
  logIndex: number;
  blockNumber: bigint;
  from: Address;
  /** In the token's smallest units. */
  amount: bigint;
}

/** Reads one chain over JSON-RPC. A transfer counts once `confirmations` blocks hold it. */
export function openChain(rpcUrl: string, confirmations: number): Chain {
  const client = createPublicClient({ transport: custom(rpcOver(rpcUrl), { retryCount: 0 }) });

  async function inTransaction(authorization: Authorization, hash: Hex): Promise<OnChain | null> {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: Error) => {
      if (error.name === 'TransactionReceiptNotFoundError') return null;
      throw error;
    });
    if (receipt?.status !== 'success' || !pays(receipt.logs, authorization)) return null;
    if (confirmations > 1) {
      const latest = await client.getBlockNumber({ cacheTime: 0 });
      if (latest - receipt.blockNumber + 1n < BigInt(confirmations)) return { outcome: 'unconfirmed' };
    }
    return { outcome: 'paid', transaction: hash };
  }

  /** The transaction that used the authorization, no longer ago than `since`. */
  async function usedIn({ asset, from, nonce }: Authorization, latest: bigint, since: Date): Promise<Hex | null> {
    let toBlock = latest;
    for (let windows = 0; windows < logWindowsMax; windows += 1) {
      const fromBlock = toBlock > logWindowBlocks ? toBlock - logWindowBlocks : 0n;
      const args = { authorizer: from, nonce };
      const [log] = await client.getLogs({ address: asset, event: authorizationUsed, args, fromBlock, toBlock });
      if (log) return log.transactionHash;
      if (fromBlock === 0n) return null;
      const { timestamp } = await client.getBlock({ blockNumber: fromBlock });
      if (Number(timestamp) * 1000 < since.getTime()) return null;
      toBlock = fromBlock - 1n;
    }
    throw new Error('the use of an authorization lies too far back to be found');
  }

  return {
    async refusal({ authorization, signature }) {
      const { asset, from, to, amount, nonce } = authorization;
      const [validAfter, validBefore] = [unixSeconds(authorization.validAfter), unixSeconds(authorization.validBefore)];
      const args = [from, to, amount, validAfter, validBefore, nonce, signature] as const;
      try {
        await client.call({ to: asset, data: encodeFunctionData({ ...transfer, args }) });
        return null;
      } catch (error) {
        if (!(error instanceof BaseError)) throw error;
        const { functionName } = transfer;
        const refused = getContractError(error, { abi: token, address: asset, args, docsPath: '', functionName });
        const reverted = refused.walk((one) => one instanceof ContractFunctionRevertedError);
        if (reverted instanceof ContractFunctionRevertedError) return refusalFor(reverted);
        throw error;
      }
    },
    async read(authorization, seenAt, hint) {
      const hinted = hint ? await inTransaction(authorization, hint) : null;
      if (hinted) return hinted;
      const latest = await client.getBlock();
      const used = await client.readContract({
        address: authorization.asset,
        abi: token,
        functionName: 'authorizationState',
        args: [authorization.from, authorization.nonce],
        blockNumber: latest.number,
      });
      const expired = Number(latest.timestamp) * 1000 > authorization.validBefore.getTime() + expiryMarginMs;
      if (!used) return { outcome: expired ? 'never' : 'unused' };
      const transaction = await usedIn(authorization, latest.number, new Date(seenAt.getTime() - usedBeforeMs));
      if (transaction) return (await inTransaction(authorization, transaction)) ?? { outcome: 'never' };
      // Used without the event: canceled by the payer, or used long before we saw it. A node that lags may also know
      // of the use and not yet of the event, so this counts only once no new use is possible.
      return { outcome: expired ? 'never' : 'unconfirmed' };
    },
    async arrivals({ asset, to }, scannedTo) {
      const latest = await client.getBlockNumber({ cacheTime: 0 });
      const confirmed = atLeast(latest - BigInt(confirmations) + 1n, 0n);
      const searched = scannedTo === null || scannedTo > confirmed ? confirmed : scannedTo;
      const fromBlock = atLeast(searched - searchOverlapBlocks, 0n);
      const toBlock = confirmed < fromBlock + logWindowBlocks ? confirmed : fromBlock + logWindowBlocks;
      const logs = await client.getLogs({
        address: asset,
        event: transferred,
        args: { to },
        fromBlock,
        toBlock,
        strict: true,
      });
      const arrivals = logs.map(({ transactionHash, logIndex, blockNumber, args }) => ({
        transaction: transactionHash,
        logIndex,
        blockNumber,
        from: args.from.toLowerCase() as Address,
        amount: args.value,
      }));
      return { arrivals, scannedTo: toBlock };
    },
    async nonceIn(transaction, { asset, from }) {
      const { logs } = await client.getTransactionReceipt({ hash: transaction });
      const ofToken = logs.filter((log) => isAddressEqual(log.address, asset));
      const used = parseEventLogs({ abi: token, logs: ofToken, eventName: 'AuthorizationUsed' });
      return used.find(({ args }) => isAddressEqual(args.authorizer, from))?.args.nonce ?? null;
    },
  };
}

function atLeast(block: bigint, least: bigint): bigint {
  return block < least ? least : block;
}

const [usedTopic, transferredTopic] = [toEventSelector(authorizationUsed), toEventSelector(transferred)];

/** Whether these logs use exactly this authorization and move its full amount to the address it names. */
function pays(logs: Log[], { asset, from, to, nonce, amount }: Authorization): boolean {
  const says = (event: Hex, first: Hex, second: Hex, data: (text: Hex) => boolean): boolean =>
    logs.some(
      (log) =>
        log.address.toLowerCase() === asset.toLowerCase() &&
        log.topics.length === 3 &&
        [event, first, second].every((topic, index) => log.topics[index]?.toLowerCase() === pad(topic).toLowerCase()) &&
        data(log.data),
    );
  return (
    says(usedTopic, from, nonce, () => true) && says(transferredTopic, from, to, (value) => BigInt(value) === amount)
  );
}

/** The refusal of a transfer that its payer's balance does not cover. */
export const insufficientBalance = 'invalid_exact_evm_insufficient_balance';

/** The words of the `exact` scheme of x402 for what the token says. */
const refusals: readonly [RegExp, string][] = [
  [/authorization is used/, 'invalid_exact_evm_nonce_already_used'],
  [/authorization is expired/, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/authorization is not yet valid/, 'invalid_exact_evm_payload_authorization_valid_after'],
  [/signature/i, 'invalid_exact_evm_signature'],
  [/balance/i, insufficientBalance],
];
/** A selector of OpenZeppelin's ERC-20: `ERC20InsufficientBalance`. */
const insufficientBalanceError = '0xe450d38c';

function refusalFor(reverted: ContractFunctionRevertedError): string {
  if (reverted.signature === insufficientBalanceError) return insufficientBalance;
  const known = refusals.find(([words]) => words.test(reverted.reason ?? ''));
  return known?.[1] ?? 'invalid_exact_evm_transaction_simulation_failed';
}

/** Whether a refusal means that the transfer has happened, by whoever carried it out. */
export function saysUsed(refusal: string): boolean {
  return refusal === 'invalid_exact_evm_nonce_already_used';
}

/** An instant in whole seconds, as the token counts them. */
export function unixSeconds(date: Date): bigint {
  return BigInt(Math.round(date.getTime() / 1000));
}

/** JSON-RPC over kept connections. */
function rpcOver(url: string): { request(call: { method: string; params?: unknown }): Promise<unknown> } {
  const node = jsonService(url, rpcTimeoutMs);
  let id = 0;
  return {
    async request({ method, params }) {
      id += 1;
      const body = { jsonrpc: '2.0', id, method, params };
      const answer = (await node.call('', body)) as { result?: unknown; error?: { code: number; message: string } };
      if (answer.error) throw new RpcRequestError({ body, error: answer.error, url });
      return answer.result;
    },
  };
}

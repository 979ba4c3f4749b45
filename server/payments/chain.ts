import {
  type Address,
  createPublicClient,
  type Hex,
  http,
  isAddressEqual,
  type Log,
  parseAbi,
  parseEventLogs,
} from 'viem';
import type { Network } from '../kernel/env.ts';

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

/** Whether this is how it ended. */
export function isFinal(onChain: OnChain): onChain is Extract<OnChain, { outcome: 'paid' | 'never' }> {
  return onChain.outcome === 'paid' || onChain.outcome === 'never';
}

const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, authorizationUsed] = token;

const rpcTimeoutMs = 5_000;
/** Public nodes answer log queries over about this many blocks at once. */
const logWindowBlocks = 9_000n;
/** With blocks of a quarter of a second, this many windows reach back more than a day. */
const logWindowsMax = 50;
/** A block may carry a time a little behind the one before which it was accepted. */
const expiryMarginMs = 15_000;
/** How long before we first saw an authorization somebody may have carried it out. */
const usedBeforeMs = 3_600_000;

export interface Chain {
  /** What became of an authorization first seen at `seenAt`. `hint` is a transaction that may hold it. */
  read(authorization: Authorization, seenAt: Date, hint?: Hex): Promise<OnChain>;
}

/** Reads one chain over JSON-RPC. A transfer counts once `confirmations` blocks hold it. */
export function openChain(rpcUrl: string, confirmations: number): Chain {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: rpcTimeoutMs, retryCount: 0 }) });

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
  };
}

/** Whether these logs use exactly this authorization and move its full amount to the address it names. */
function pays(logs: Log[], authorization: Authorization): boolean {
  const ofToken = logs.filter((log) => isAddressEqual(log.address, authorization.asset));
  const events = parseEventLogs({ abi: token, logs: ofToken });
  const used = events.some(
    (event) =>
      event.eventName === 'AuthorizationUsed' &&
      isAddressEqual(event.args.authorizer, authorization.from) &&
      event.args.nonce === authorization.nonce,
  );
  return (
    used &&
    events.some(
      (event) =>
        event.eventName === 'Transfer' &&
        isAddressEqual(event.args.from, authorization.from) &&
        isAddressEqual(event.args.to, authorization.to) &&
        event.args.value === authorization.amount,
    )
  );
}

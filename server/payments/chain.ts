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

/** One signed EIP-3009 transfer: what the signature of `from` lets anyone carry out once. */
export interface Authorization {
  network: Network;
  asset: Address;
  from: Address;
  to: Address;
  nonce: Hex;
  /** In the token's smallest units. */
  amount: bigint;
  /** Past this instant the token refuses the transfer for good. */
  validBefore: Date;
}

/**
 * What the chain says about an authorization. Only the chain can say it: a facilitator's failure or silence is no
 * proof that no money moved.
 */
export type OnChain =
  | { outcome: 'paid'; transaction: Hex }
  /** Seen, but under fewer blocks than the configuration asks for. */
  | { outcome: 'unconfirmed' }
  /** Not used so far; it can still be. */
  | { outcome: 'unused' }
  /** It can no longer move the money: expired, canceled, or used for something else. */
  | { outcome: 'never' };

const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, authorizationUsed] = token;

const rpcTimeoutMs = 5_000;
/** Public nodes answer log queries over about this many blocks; an authorization lives for minutes. */
const logWindowBlocks = 9_000n;
/** A block may carry a time a little behind the one before which it was accepted. */
const expiryMarginMs = 15_000;

export interface Chain {
  read(authorization: Authorization, hint?: Hex): Promise<OnChain>;
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

  return {
    async read(authorization, hint) {
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
      if (!used) {
        const chainTime = Number(latest.timestamp) * 1000;
        return { outcome: chainTime > authorization.validBefore.getTime() + expiryMarginMs ? 'never' : 'unused' };
      }
      const [log] = await client.getLogs({
        address: authorization.asset,
        event: authorizationUsed,
        args: { authorizer: authorization.from, nonce: authorization.nonce },
        fromBlock: latest.number > logWindowBlocks ? latest.number - logWindowBlocks : 0n,
      });
      // Used without the event: the payer canceled it.
      if (!log) return { outcome: 'never' };
      return (await inTransaction(authorization, log.transactionHash)) ?? { outcome: 'never' };
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

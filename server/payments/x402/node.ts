import {
  createPublicClient,
  custom,
  type Hex,
  type PublicClient,
  parseAbi,
  RpcRequestError,
  type TransactionReceipt,
} from 'viem';
import { jsonService } from '../../kernel/json-http.ts';

/** What is called of the token (EIP-20, EIP-3009). */
export const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

const rpcTimeoutMs = 5_000;
/** Public nodes limit log queries to about this many blocks. */
export const logWindowBlocks = 9_000n;

/** A node of one chain. */
export interface ChainNode {
  readonly client: PublicClient;
  /** Confirmations that a payment needs. */
  readonly depth: bigint;
  height(): Promise<bigint>;
  /** Null when the node does not show it. */
  receiptOf(hash: Hex): Promise<TransactionReceipt | null>;
}

/** Opens a node over JSON-RPC. Calls nothing. */
export function openNode(network: string, rpcUrl: string, confirmations: number): ChainNode {
  const client = createPublicClient({ transport: custom(rpcOver(network, rpcUrl), { retryCount: 0 }) });
  return {
    client,
    depth: BigInt(confirmations) - 1n,
    height: () => client.getBlockNumber({ cacheTime: 0 }),
    receiptOf: (hash) =>
      client.getTransactionReceipt({ hash }).catch((error: Error) => {
        if (error.name === 'TransactionReceiptNotFoundError') return null;
        throw error;
      }),
  };
}

export function atLeast(block: bigint, least: bigint): bigint {
  return block < least ? least : block;
}

/** JSON-RPC over kept connections. */
function rpcOver(
  network: string,
  url: string,
): { request(call: { method: string; params?: unknown }): Promise<unknown> } {
  const node = jsonService(network, url, rpcTimeoutMs);
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

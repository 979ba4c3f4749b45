// How the facilitator reaches a chain: few JSON-RPC calls a payment, and a nonce that never leaves a gap.
import { AsyncLocalStorage } from 'node:async_hooks';
import { toFacilitatorEvmSigner } from '@x402/evm';
import {
  type Address,
  createPublicClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  TimeoutError,
  type VerifyTypedDataParameters,
  WaitForTransactionReceiptTimeoutError,
} from 'viem';
import type { HDAccount } from 'viem/accounts';
import { createNonceManager, jsonRpc } from 'viem/nonce';

/** What one settlement did on the chain, and what is to go wrong with it there. */
export type SettlementTrace = {
  /** Hashes that the node accepted, whether or not they were mined or succeeded. */
  readonly transactions: Hex[];
  readonly trouble?: 'receipt_times_out' | 'broadcast_times_out' | undefined;
};

/** Set around each settlement, so that parallel ones keep their traces apart. */
export const settlementTrace = new AsyncLocalStorage<SettlementTrace>();

const RECEIPT_POLL_MS = 10;
const CONFIRMATION_MS_MAX = 15_000;
const RPC_MS_MAX = 10_000;

// Generous for transferWithAuthorization (about 80,000). A fixed limit and fees save the estimates and, because an
// estimate that fails would waste the nonce it was made with, keep the account's nonces without gaps.
const GAS_LIMIT = 200_000n;
const FEE_PER_GAS_MAX = 100_000_000_000n;
const PRIORITY_FEE_PER_GAS = 1_000_000_000n;

// An account can gain code (a smart wallet is deployed) but a contract keeps its own.
const EMPTY_CODE_CACHE_MS = 30_000;
const CODE_CACHE_MAX = 10_000;

/** The signer that `ExactEvmScheme` settles with on one chain. */
export function createSigner(chainId: number, nodeUrl: string, account: HDAccount) {
  const chain = defineChain({
    id: chainId,
    name: `LOCAL SANDBOX ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [nodeUrl] } },
  });
  const client = createPublicClient({
    chain,
    transport: http(nodeUrl, { timeout: RPC_MS_MAX, retryCount: 0 }),
    pollingInterval: RECEIPT_POLL_MS,
  });
  const send = createSender(client, chainId, account);

  return toFacilitatorEvmSigner(
    {
      address: account.address,
      readContract: (call) => client.readContract({ ...call, args: call.args ?? [] }),
      // The scheme types these loosely; viem refuses what does not fit together when it hashes them.
      verifyTypedData: (data) => client.verifyTypedData(data as VerifyTypedDataParameters),
      getCode: cachedCode(client),
      sendTransaction: ({ to, data }) => send(to, data),
      writeContract: ({ address, ...call }) => send(address, encodeFunctionData(call)),
      async waitForTransactionReceipt({ hash, timeout = CONFIRMATION_MS_MAX }) {
        if (settlementTrace.getStore()?.trouble === 'receipt_times_out') {
          throw new WaitForTransactionReceiptTimeoutError({ hash });
        }
        return client.waitForTransactionReceipt({ hash, timeout });
      },
    },
    { confirmationTimeoutMs: CONFIRMATION_MS_MAX },
  );
}

/** Signs and broadcasts from one account; parallel calls get consecutive nonces. */
function createSender(client: PublicClient, chainId: number, account: HDAccount) {
  const nonces = createNonceManager({ source: jsonRpc() });
  const { address } = account;
  return async function send(to: Address, data: Hex): Promise<Hex> {
    const nonce = await nonces.consume({ address, chainId, client });
    const trace = settlementTrace.getStore();
    try {
      const serializedTransaction = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        to,
        data,
        gas: GAS_LIMIT,
        maxFeePerGas: FEE_PER_GAS_MAX,
        maxPriorityFeePerGas: PRIORITY_FEE_PER_GAS,
      });
      const hash = await client.sendRawTransaction({ serializedTransaction });
      trace?.transactions.push(hash);
      if (trace?.trouble !== 'broadcast_times_out') return hash;
    } catch (error) {
      nonces.reset({ address, chainId });
      throw error;
    }
    throw new TimeoutError({ body: { method: 'eth_sendRawTransaction' }, url: `LOCAL SANDBOX chain ${chainId}` });
  };
}

/** `eth_getCode` with a memory: the scheme asks four times a payment for what hardly ever changes. */
function cachedCode(client: PublicClient) {
  const known = new Map<Address, { code: Hex | undefined; until: number }>();
  return async function getCode({ address }: { address: Address }): Promise<Hex | undefined> {
    const remembered = known.get(address);
    if (remembered && remembered.until > Date.now()) return remembered.code;
    const code = await client.getCode({ address });
    if (known.size >= CODE_CACHE_MAX) known.clear();
    known.set(address, { code, until: code === undefined ? Date.now() + EMPTY_CODE_CACHE_MS : Infinity });
    return code;
  };
}

// The facilitator's access to a chain: few calls per payment, and transactions don't wait for each other.
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

/** The trace of one settlement on the chain, and the fault it meets there. */
export type SettlementTrace = {
  /** Accepted hashes, whether or not mined or successful. */
  readonly transactions: Hex[];
  readonly trouble?: 'receipt_times_out' | 'broadcast_times_out' | undefined;
};

/** Separates the traces of parallel settlements. */
export const settlementTrace = new AsyncLocalStorage<SettlementTrace>();

const RECEIPT_POLL_MS = 10;
const CONFIRMATION_MS_MAX = 15_000;
const NUDGE_MS = 2_000;
const RPC_MS_MAX = 10_000;

// Generous for transferWithAuthorization (about 80,000). A fixed limit and fees save the estimates.
const GAS_LIMIT = 200_000n;
const FEE_PER_GAS_MAX = 100_000_000_000n;
const PRIORITY_FEE_PER_GAS = 1_000_000_000n;

// An account can gain code (a smart wallet is deployed) but a contract keeps its own.
const EMPTY_CODE_CACHE_MS = 30_000;
const CODE_CACHE_MAX = 10_000;

/** The signer that `ExactEvmScheme` settles with on one chain, from any of `accounts`. */
export function createSigner(chainId: number, nodeUrl: string, accounts: readonly [HDAccount, ...HDAccount[]]) {
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
  const send = createSender(client, chainId, accounts);

  const signer = toFacilitatorEvmSigner(
    {
      address: accounts[0].address,
      readContract: (call) => client.readContract({ ...call, args: call.args ?? [] }),
      // The scheme types these loosely; viem rejects a mismatch when it hashes them.
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
  return { ...signer, getAddresses: () => accounts.map(({ address }) => address) };
}

/**
 * Signs and broadcasts, one transaction per account at a time. Anvil mines each when it arrives, and may hold one back
 * that arrives while it mines another, until a further one comes: then it is told to mine.
 */
function createSender(client: PublicClient, chainId: number, accounts: readonly HDAccount[]) {
  const idle = [...accounts];
  const waiting: ((account: HDAccount) => void)[] = [];
  const borrow = () => idle.shift() ?? new Promise<HDAccount>((resolve) => waiting.push(resolve));
  const giveBack = (account: HDAccount) => {
    const next = waiting.shift();
    if (next) next(account);
    else idle.push(account);
  };

  return async function send(to: Address, data: Hex): Promise<Hex> {
    const account = await borrow();
    let mined: Promise<unknown> = Promise.resolve();
    try {
      const trace = settlementTrace.getStore();
      const hash = await broadcast(client, chainId, account, { to, data });
      mined = isMined(client, hash).catch(() => {});
      trace?.transactions.push(hash);
      if (trace?.trouble !== 'broadcast_times_out') return hash;
    } finally {
      void mined.then(() => giveBack(account));
    }
    throw new TimeoutError({ body: { method: 'eth_sendRawTransaction' }, url: `LOCAL SANDBOX chain ${chainId}` });
  };
}

/** Resolves once the transaction is in a block; rejects after `CONFIRMATION_MS_MAX`. */
async function isMined(client: PublicClient, hash: Hex): Promise<void> {
  const mine = () =>
    client.request<{ Method: string; Parameters: []; ReturnType: string }>({ method: 'evm_mine', params: [] });
  const nudge = setInterval(() => void mine().catch(() => {}), NUDGE_MS);
  try {
    await client.waitForTransactionReceipt({ hash, timeout: CONFIRMATION_MS_MAX });
  } finally {
    clearInterval(nudge);
  }
}

async function broadcast(client: PublicClient, chainId: number, account: HDAccount, call: { to: Address; data: Hex }) {
  const serializedTransaction = await account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce: await client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
    ...call,
    gas: GAS_LIMIT,
    maxFeePerGas: FEE_PER_GAS_MAX,
    maxPriorityFeePerGas: PRIORITY_FEE_PER_GAS,
  });
  return client.sendRawTransaction({ serializedTransaction });
}

/** `eth_getCode` with a cache: the scheme asks four times per payment. */
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

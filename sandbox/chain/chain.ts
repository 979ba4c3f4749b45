// One chain of the sandbox: anvil with the token and Multicall3 in place, behind a JSON-RPC address that can fail.
import {
  type Address,
  createTestClient,
  encodeDeployData,
  getAddress,
  type Hex,
  http,
  type PublicActions,
  publicActions,
  type TestClient,
  toHex,
} from 'viem';
import { idleAccount } from './accounts.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import localUsdc from './LocalUSDC.json' with { type: 'json' };
import multicall3 from './Multicall3.json' with { type: 'json' };
import { MULTICALL3_ADDRESS, type Network, USDC_ABI } from './networks.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

type ChainClient = TestClient<'anvil'> & PublicActions;

export type Chain = {
  readonly network: Network;
  /** The address that the service and its buyers use. */
  readonly rpcUrl: string;
  /** Directly to anvil, past the faults of the JSON-RPC address. */
  readonly nodeUrl: string;
  readonly client: ChainClient;
  readonly rpc: RpcProxy;
  readonly anvil: Anvil;
  /** Whether transactions are mined as they come. */
  readonly mining: { automatic: boolean };
  stop(): Promise<void>;
};

// Real chains continue without payments: mine a block now and then, so that unused authorizations expire.
const IDLE_BLOCK_MS = 5_000;

/** Starts the chain on `port`, its state kept in `stateFile`. Rejects with one sentence when it cannot. */
export async function startChain(network: Network, port: number, stateFile: string): Promise<Chain> {
  const anvil = await startAnvil(network.chainId, stateFile);
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
  const mining = { automatic: true };
  try {
    await client.setLoggingEnabled(false);
    await placeContracts(client, network);
    const rpc = await startRpcProxy(`chain ${network.network}`, port, anvil.rpcUrl);
    const blocks = setInterval(() => {
      if (mining.automatic) void addBlock(client).catch(() => {});
    }, IDLE_BLOCK_MS);
    const stop = async () => {
      clearInterval(blocks);
      rpc.close();
      await anvil.stop();
    };
    const rpcUrl = `http://127.0.0.1:${port}`;
    return { network, rpcUrl, nodeUrl: anvil.rpcUrl, client, rpc, anvil, mining, stop };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/**
 * Puts the token and Multicall3 where unmodified clients look for them. Simulating a deployment yields the runtime
 * code, so no transaction is spent; balances of an earlier run are storage and stay.
 */
async function placeContracts(client: ChainClient, network: Network): Promise<void> {
  const token = encodeDeployData({ abi: USDC_ABI, bytecode: localUsdc.bytecode as Hex, args: [network.assetName] });
  await Promise.all([
    placeCode(client, network.asset, token),
    placeCode(client, MULTICALL3_ADDRESS, multicall3.bytecode as Hex),
  ]);
}

async function placeCode(client: ChainClient, address: Address, creationCode: Hex): Promise<void> {
  const { data } = await client.call({ data: creationCode });
  if (data === undefined) throw new Error(`The contract for ${address} has no runtime code.`);
  await client.setCode({ address, bytecode: data });
}

/**
 * Mines by sending an empty transaction. Asking anvil to mine while it automines makes it mine twice at once and may
 * leave transactions waiting.
 */
async function addBlock(client: ChainClient): Promise<void> {
  const { address } = idleAccount();
  // Its data distinguishes it from a removed one.
  const transaction = { from: address, to: address, data: toHex(Date.now(), { size: 8 }) };
  await client.request<{ Method: string; Parameters: [typeof transaction]; ReturnType: Hex }>({
    method: 'eth_sendTransaction',
    params: [transaction],
  });
}

/** Gives `owner` exactly `units` of the token's smallest unit (1 USDC = 1,000,000), without a transaction. */
export async function setBalance(chain: Chain, owner: Address, units: bigint): Promise<void> {
  const params = [getAddress(owner), chain.network.asset, `0x${units.toString(16)}`];
  await chain.client.request<{ Method: string; Parameters: string[]; ReturnType: null }>({
    method: 'anvil_dealERC20',
    params,
  });
}

// The control port's routes to the chains.
import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import { BRAND, type Call, Refusal, type Routes, readBody } from '../http.ts';
import { sellerAccount } from './accounts.ts';
import type { Chain } from './chain.ts';
import { type ChainFault, chainFaultSchema, clearFaults, strike } from './faults.ts';
import { ASSET_DECIMALS, ASSET_VERSION } from './networks.ts';
import { findTransfers } from './transfers.ts';
import { createWallet } from './wallets.ts';

/** A chain as `GET /chains` shows it. */
export type ChainDescription = {
  network: string;
  chain_id: number;
  title: string;
  rpc_url: string;
  /** Directly to the node, as the facilitator reaches it, past the faults of `rpc_url`. */
  node_url: string;
  asset: Address;
  asset_name: string;
  asset_version: string;
  asset_decimals: number;
  /** Who is paid: `X402_PAY_TO`, as the service reads it, or the default account. */
  pay_to: Address;
  block_number: number;
  mining: 'automatic' | 'off';
  rpc_trouble: string | null;
};

const walletSchema = z.strictObject({ network: z.string().optional() });
const payTo = getAddress(process.env.X402_PAY_TO ?? sellerAccount().address);

/**
 * The routes of the chains. `restartFacilitator` is called when a chain forgets blocks, because the facilitator's
 * account has then used fewer nonces than it remembers.
 */
export function chainRoutes(chains: readonly Chain[], restartFacilitator: () => Promise<void>): Routes {
  function find(name: string | undefined): Chain {
    const chain = chains.find(({ network }) => name === network.network || name === String(network.chainId));
    if (chain) return chain;
    const known = chains.map(({ network }) => network.network).join(' and ');
    throw new Refusal(404, 'unknown_chain', `There is no chain ${name}; the sandbox has ${known}.`);
  }
  return {
    'GET /chains': async () => ({ json: await Promise.all(chains.map(describeChain)) }),
    'GET /chains/:id/transfers': async ({ path, query }) => {
      return { json: { transfers: await findTransfers(find(path.id), query) } };
    },
    'POST /chains/:id/faults': async (call) => {
      const chain = find(call.path.id);
      const fault: ChainFault = readBody(chainFaultSchema, call);
      const result = await strike(chain, fault);
      if (fault.mode === 'revert' || fault.mode === 'reorg') await restartFacilitator();
      return { json: { sandbox: BRAND, ...result, chain: await describeChain(chain) } };
    },
    'DELETE /chains/:id/faults': async ({ path }) => {
      const chain = find(path.id);
      await clearFaults(chain);
      return { json: { sandbox: BRAND, chain: await describeChain(chain) } };
    },
    'POST /wallets': async (call: Call) => {
      const { network } = readBody(walletSchema, call);
      return { status: 201, json: await createWallet(network === undefined ? chains : [find(network)]) };
    },
  };
}

/** A chain for the control port: its addresses, its height, and its token. */
export async function describeChain({
  network,
  rpcUrl,
  nodeUrl,
  rpc,
  client,
  mining,
}: Chain): Promise<ChainDescription> {
  return {
    network: network.network,
    chain_id: network.chainId,
    title: network.title,
    rpc_url: rpcUrl,
    node_url: nodeUrl,
    asset: network.asset,
    asset_name: network.assetName,
    asset_version: ASSET_VERSION,
    asset_decimals: ASSET_DECIMALS,
    pay_to: payTo,
    block_number: Number(await client.getBlockNumber({ cacheTime: 0 })),
    mining: mining.automatic ? 'automatic' : 'off',
    rpc_trouble: rpc.current()?.mode ?? null,
  };
}

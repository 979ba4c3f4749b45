// Faults of a chain: of its JSON-RPC address (stall, slow, error, blind, lag) and of the chain itself (the rest).
import type { Hex } from 'viem';
import { z } from 'zod';
import { Refusal } from '../http.ts';
import type { Chain } from './chain.ts';

const BLOCKS_MAX = 1_000;
const REORG_DEPTH_MAX = 12;
const SLOW_MS_MAX = 600_000;
const ADVANCE_SECONDS_MAX = 10_000_000;

export const chainFaultSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('stall') }),
  z.strictObject({ mode: z.literal('slow'), ms: z.int().min(0).max(SLOW_MS_MAX) }),
  z.strictObject({ mode: z.literal('error'), status: z.int().min(200).max(599).default(503) }),
  z.strictObject({ mode: z.literal('blind') }),
  z.strictObject({ mode: z.literal('lag'), blocks: z.int().min(1).max(BLOCKS_MAX).default(3) }),
  z.strictObject({ mode: z.literal('snapshot') }),
  z.strictObject({ mode: z.literal('revert'), snapshot_id: z.templateLiteral(['0x', z.string()]) }),
  z.strictObject({ mode: z.literal('reorg'), depth: z.int().min(1).max(REORG_DEPTH_MAX) }),
  z.strictObject({ mode: z.literal('automine_off') }),
  z.strictObject({ mode: z.literal('mine'), blocks: z.int().min(1).max(BLOCKS_MAX).default(1) }),
  z.strictObject({ mode: z.literal('advance_time'), seconds: z.int().min(1).max(ADVANCE_SECONDS_MAX) }),
]);

export type ChainFault = z.infer<typeof chainFaultSchema>;

/**
 * Starts a fault. `stall`, `slow`, `error`, `blind` (the node knows no log and no receipt) and `lag` (it is some blocks
 * behind) last until cleared; `revert` goes back to a snapshot; `reorg` replaces the newest blocks with empty ones;
 * `automine_off` leaves transactions waiting until `mine`; `advance_time` lasts until the sandbox restarts.
 */
export async function strike(chain: Chain, fault: ChainFault): Promise<{ mode: string; snapshot_id?: Hex }> {
  const { client, rpc } = chain;
  const { mode } = fault;
  switch (mode) {
    case 'stall':
    case 'slow':
    case 'error':
    case 'blind':
    case 'lag':
      rpc.trouble(fault);
      return { mode };
    case 'snapshot':
      return { mode, snapshot_id: await client.snapshot() };
    case 'revert':
      await revert(chain, fault.snapshot_id);
      return { mode };
    case 'reorg':
      await reorganise(chain, fault.depth);
      return { mode };
    case 'automine_off':
      chain.mining.automatic = false;
      await client.setAutomine(false);
      return { mode };
    case 'mine':
      await client.mine({ blocks: fault.blocks });
      return { mode };
    case 'advance_time':
      await client.increaseTime({ seconds: fault.seconds });
      await client.mine({ blocks: 1 });
      return { mode };
  }
}

/** Ends every lasting fault: the JSON-RPC address answers again, waiting transactions are mined. */
export async function clearFaults(chain: Chain): Promise<void> {
  chain.rpc.trouble(undefined);
  if (chain.mining.automatic) return;
  chain.mining.automatic = true;
  await chain.client.setAutomine(true);
  await chain.client.mine({ blocks: 1 });
}

async function revert(chain: Chain, id: Hex): Promise<void> {
  const found = await chain.client.request<{ Method: string; Parameters: Hex[]; ReturnType: boolean }>({
    method: 'evm_revert',
    params: [id],
  });
  if (!found) throw new Refusal(409, 'unknown_snapshot', `Chain ${chain.network.network} has no snapshot ${id}.`);
}

async function reorganise(chain: Chain, depth: number): Promise<void> {
  const height = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  if (depth > height) throw new Refusal(409, 'chain_too_short', `The chain has ${height} blocks, fewer than ${depth}.`);
  await chain.client.request<{ Method: string; Parameters: [number, []]; ReturnType: null }>({
    method: 'anvil_reorg',
    params: [depth, []],
  });
}

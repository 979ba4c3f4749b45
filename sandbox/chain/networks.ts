import type { Abi, Address } from 'viem';
import localUsdc from './LocalUSDC.json' with { type: 'json' };

export type ChainId = 84532 | 421614;

/** A chain of the sandbox: the network it stands in for, and the token that payments are made in. */
export type Network = {
  readonly chainId: ChainId;
  /** CAIP-2 name, as x402 writes it. */
  readonly network: `eip155:${ChainId}`;
  readonly title: string;
  /** The canonical address of USDC on that network, so that unmodified clients take the token for USDC. */
  readonly asset: Address;
  /** The token's EIP-712 domain name, which differs from chain to chain. */
  readonly assetName: string;
};

export const NETWORKS: readonly Network[] = [
  {
    chainId: 84532,
    network: 'eip155:84532',
    title: 'Base Sepolia',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    assetName: 'USDC',
  },
  {
    chainId: 421614,
    network: 'eip155:421614',
    title: 'Arbitrum Sepolia',
    asset: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
    assetName: 'USD Coin',
  },
];

/** The version in the token's EIP-712 domain, on both chains. */
export const ASSET_VERSION = '2';
export const ASSET_DECIMALS = 6;
export const MULTICALL3_ADDRESS: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
export const USDC_ABI = localUsdc.abi as Abi;

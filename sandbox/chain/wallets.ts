import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type Chain, setBalance } from './chain.ts';
import { ASSET_DECIMALS } from './networks.ts';

/** A fresh wallet with money on the named networks. Its key is worth nothing outside the sandbox. */
export type Wallet = {
  address: Address;
  private_key: Hex;
  funded: { network: string; asset: Address; amount: string }[];
};

const WALLET_UNITS = 1_000n * 10n ** BigInt(ASSET_DECIMALS);

/** Makes a wallet and gives it 1,000 USDC on each of `chains`. Payers need no ether: the facilitator pays the gas. */
export async function createWallet(chains: readonly Chain[]): Promise<Wallet> {
  const privateKey = generatePrivateKey();
  const { address } = privateKeyToAccount(privateKey);
  await Promise.all(chains.map((chain) => setBalance(chain, address, WALLET_UNITS)));
  return {
    address,
    private_key: privateKey,
    funded: chains.map(({ network }) => ({
      network: network.network,
      asset: network.asset,
      amount: WALLET_UNITS.toString(),
    })),
  };
}

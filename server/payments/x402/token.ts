import { authorizationTypes } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { type Address, getAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Network } from '../../configuration/networks.ts';
import { type Authorization, type SignedTransfer, unixSeconds } from './authorization.ts';

/** The token on a chain, in lower case. */
export const assetOf = async (network: Network): Promise<Address> =>
  (await tokenOf(network)).asset.toLowerCase() as Address;

export interface Token {
  asset: string;
  name: string;
  version: string;
}
const tokens = new Map<Network, Promise<Token>>();

/** USDC on a chain: address and signing domain, from the x402 packages' table. */
export function tokenOf(network: Network): Promise<Token> {
  const known = tokens.get(network) ?? readToken(network);
  tokens.set(network, known);
  return known;
}

async function readToken(network: Network): Promise<Token> {
  const { amount, asset, extra } = await new ExactEvmScheme().parsePrice('$1', network);
  if (amount !== '1000000') throw new Error(`the token on ${network} has no six decimals`);
  return { asset, name: String(extra?.name), version: String(extra?.version) };
}

/** Signs a USDC transfer (EIP-3009). */
export async function signTransfer(account: PrivateKeyAccount, authorization: Authorization): Promise<SignedTransfer> {
  const { name, version } = await tokenOf(authorization.network);
  const signature = await account.signTypedData({
    domain: {
      name,
      version,
      chainId: Number(authorization.network.slice('eip155:'.length)),
      verifyingContract: getAddress(authorization.asset),
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from,
      to: authorization.to,
      value: authorization.amount,
      validAfter: unixSeconds(authorization.validAfter),
      validBefore: unixSeconds(authorization.validBefore),
      nonce: authorization.nonce,
    },
  });
  return { authorization, signature };
}

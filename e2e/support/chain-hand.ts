import { randomBytes } from 'node:crypto';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  multicall3Abi,
  parseAbi,
  parseSignature,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { strangerAccount } from '../../sandbox/chain/accounts.ts';
import { ASSET_VERSION, MULTICALL3_ADDRESS, NETWORKS } from '../../sandbox/chain/networks.ts';
import { controlClient } from '../../sandbox/control-client.ts';

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function balanceOf(address owner) view returns (uint256)',
]);
const cancelTypes = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** An EIP-3009 transfer with its signature. */
export interface Signed {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  signature: Hex;
}

type Domain = { name: string; version: string; chainId: number; verifyingContract: Address };

async function signTransfer(
  account: PrivateKeyAccount,
  domain: Domain,
  message: Omit<Signed, 'signature'>,
): Promise<Signed> {
  const primaryType = 'TransferWithAuthorization';
  const signature = await account.signTypedData({ domain, types: authorizationTypes, primaryType, message });
  return { ...message, signature };
}

/** The arguments of `cancelAuthorization`. */
async function signedCancellation(account: PrivateKeyAccount, domain: Domain, nonce: Hex) {
  const message = { authorizer: account.address, nonce };
  const primaryType = 'CancelAuthorization';
  const { r, s, yParity } = parseSignature(
    await account.signTypedData({ domain, types: cancelTypes, primaryType, message }),
  );
  return [account.address, nonce, 27 + yParity, r, s] as const;
}

/** A stranger on a sandbox chain, with an account that nothing else uses: each method sends a transaction. */
export async function chainHand(controlUrl: string, chainId: 84532 | 421614) {
  const { node_url } = (await controlClient(controlUrl).chains()).find(({ chain_id }) => chain_id === chainId) ?? {
    node_url: '',
  };
  const { asset, assetName } = NETWORKS.find((one) => one.chainId === chainId) ?? NETWORKS[0] ?? fail();
  const transport = http(node_url);
  const wallet = createWalletClient({ account: strangerAccount().address, transport });
  const node = createPublicClient({ transport, pollingInterval: 10, cacheTime: 0 });
  const domain = { name: assetName, version: ASSET_VERSION, chainId, verifyingContract: asset };

  async function send(to: Address, data: Hex): Promise<Hex> {
    const hash = await wallet.sendTransaction({ chain: null, to, data, gas: 2_000_000n });
    const { status } = await node.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${hash} failed`);
    return hash;
  }

  return {
    node,
    asset,
    /** The call that executes a signed transfer. */
    transferCall: ({ from, to, value, validAfter, validBefore, nonce, signature }: Signed): Hex =>
      encodeFunctionData({
        abi,
        functionName: 'transferWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, signature],
      }),
    mintCall: (to: Address, value: bigint): Hex => encodeFunctionData({ abi, functionName: 'mint', args: [to, value] }),
    /** Several token calls in one transaction. */
    together: (calls: Hex[]): Promise<Hex> =>
      send(
        MULTICALL3_ADDRESS,
        encodeFunctionData({
          abi: multicall3Abi,
          functionName: 'aggregate3',
          args: [calls.map((callData) => ({ target: asset, allowFailure: false, callData }))],
        }),
      ),
    call: (data: Hex): Promise<Hex> => send(asset, data),
    mint: (to: Address, value: bigint): Promise<Hex> =>
      send(asset, encodeFunctionData({ abi, functionName: 'mint', args: [to, value] })),
    /** An empty transfer from another account, which every ERC-20 token allows. */
    nothingFrom: (from: Address, to: Address): Promise<Hex> =>
      send(asset, encodeFunctionData({ abi, functionName: 'transferFrom', args: [from, to, 0n] })),
    async cancel(account: PrivateKeyAccount, nonce: Hex): Promise<Hex> {
      const args = await signedCancellation(account, domain, nonce);
      return send(asset, encodeFunctionData({ abi, functionName: 'cancelAuthorization', args }));
    },
    /** Signs a transfer as its payer can: any amount, recipient and nonce. */
    async sign(
      account: PrivateKeyAccount,
      to: Address,
      value: bigint,
      more: { nonce?: Hex; validBefore?: bigint } = {},
    ): Promise<Signed> {
      return signTransfer(account, domain, {
        from: account.address,
        to,
        value,
        validAfter: 0n,
        validBefore: more.validBefore ?? BigInt(Math.floor(Date.now() / 1000) + 110),
        nonce: more.nonce ?? (`0x${randomBytes(32).toString('hex')}` as const),
      });
    },
    balanceOf: (owner: Address): Promise<bigint> =>
      node.readContract({ address: asset, abi, functionName: 'balanceOf', args: [owner] }),
  };
}

function fail(): never {
  throw new Error('there is no such chain');
}

/** The signed transfer in a PAYMENT-SIGNATURE header. */
export function signedIn(header: string): Signed {
  const { authorization, signature } = decodePaymentSignatureHeader(header).payload as {
    authorization: Record<'from' | 'to' | 'nonce', Hex> & Record<'value' | 'validAfter' | 'validBefore', string>;
    signature: Hex;
  };
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    from,
    to,
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
    signature,
  };
}

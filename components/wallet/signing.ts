import { ExactEvmScheme } from '@x402/evm/exact/client';
import { type Config, type Connector, createConfig, injected, unstable_connector } from 'wagmi';
import { connect, getConnection, signMessage, signTypedData, switchChain } from 'wagmi/actions';
import { arbitrum, arbitrumSepolia, base, baseSepolia } from 'wagmi/chains';
import type { Requirement } from './transfer.ts';
import type { FoundWallet } from './use-wallets.ts';

/** What talks to a wallet and signs: 120 kB, loaded when somebody has chosen a wallet. */

interface Opened {
  config: Config;
  connector: Connector;
  address: `0x${string}`;
}

/**
 * Opens a wallet, after asking for permission if needed. Rejects when its owner declines. Chains are reached through the
 * wallet alone, because our pages' policy lets scripts call only us.
 */
async function open({ id, name, provider }: FoundWallet): Promise<Opened> {
  const transport = unstable_connector(injected);
  const config = createConfig({
    chains: [base, arbitrum, baseSepolia, arbitrumSepolia],
    connectors: [injected({ target: { id, name, provider } })],
    multiInjectedProviderDiscovery: false,
    storage: null,
    transports: {
      [base.id]: transport,
      [arbitrum.id]: transport,
      [baseSepolia.id]: transport,
      [arbitrumSepolia.id]: transport,
    },
  });
  const [connector] = config.connectors;
  if (!connector) throw new Error('the wallet is gone');
  const { accounts } = await connect(config, { connector });
  const [address] = accounts;
  if (!address) throw new Error('the wallet shows no address');
  return { config, connector, address };
}

/** Lets the wallet sign a transfer (EIP-3009) as demanded; returns the header that carries it. Moves nothing yet. */
export async function signedTransfer(wallet: FoundWallet, demand: () => Promise<Requirement>): Promise<string> {
  const { config, connector, address } = await open(wallet);
  const accepted = await demand();
  const chainId = Number(accepted.network.slice('eip155:'.length));
  // Wallets refuse to sign for another chain than their current one.
  if (getConnection(config).chainId !== chainId) await switchChain(config, { chainId, connector });
  const scheme = new ExactEvmScheme({
    address,
    signTypedData: (typed) =>
      signTypedData(config, { ...typed, account: address, connector } as Parameters<typeof signTypedData>[1]),
  });
  const { payload } = await scheme.createPaymentPayload(2, accepted);
  return btoa(JSON.stringify({ x402Version: 2, payload, accepted }));
}

/** Lets the wallet sign the message that is made for its address. */
export async function signedMessage<Made extends { message: string }>(
  wallet: FoundWallet,
  made: (address: string) => Promise<Made>,
): Promise<Made & { signature: string }> {
  const { config, connector, address } = await open(wallet);
  const challenge = await made(address);
  const signature = await signMessage(config, { account: address, message: challenge.message, connector });
  return { ...challenge, signature };
}

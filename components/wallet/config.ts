import { cookieStorage, createConfig, createStorage, injected, unstable_connector } from 'wagmi';
import { arbitrum, arbitrumSepolia, base, baseSepolia } from 'wagmi/chains';

/**
 * The wallets and chains of the pages: the browser's own wallets, on the chains for payments. Made per request, or
 * visitors would see each other's wallets. Chains are reached through the wallet alone, because our pages' policy lets
 * scripts call only us.
 */
export function walletConfig() {
  const transport = unstable_connector(injected);
  return createConfig({
    chains: [base, arbitrum, baseSepolia, arbitrumSepolia],
    connectors: [injected()],
    transports: {
      [base.id]: transport,
      [arbitrum.id]: transport,
      [baseSepolia.id]: transport,
      [arbitrumSepolia.id]: transport,
    },
    storage: createStorage({ storage: cookieStorage }),
    ssr: true,
  });
}

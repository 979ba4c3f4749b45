import { cookieStorage, createConfig, createStorage, injected, unstable_connector } from 'wagmi';
import { arbitrum, arbitrumSepolia, base, baseSepolia } from 'wagmi/chains';

/**
 * What the pages know of wallets: those that a browser brings along, on the chains that payments are made on. A new one
 * for each request, or one visitor would see the wallet of another. Chains are asked through the wallet alone, because
 * the policy of our pages lets a script call nobody but us.
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

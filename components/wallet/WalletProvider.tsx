'use client';

import { type ReactNode, useState } from 'react';
import { type State, WagmiProvider } from 'wagmi';
import { walletConfig } from './config.ts';

/** Gives the pages inside it the wallets of the browser. `initialState` is what a cookie says of the last one used. */
export function WalletProvider({ initialState, children }: { initialState?: State | undefined; children: ReactNode }) {
  const [config] = useState(walletConfig);
  return (
    <WagmiProvider config={config} {...(initialState ? { initialState } : {})}>
      {children}
    </WagmiProvider>
  );
}

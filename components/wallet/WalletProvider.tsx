'use client';

import { type ReactNode, useState } from 'react';
import { type State, WagmiProvider } from 'wagmi';
import { walletConfig } from './config.ts';

/** Gives pages access to the browser's wallets. `initialState` is the last one used, from a cookie. */
export function WalletProvider({ initialState, children }: { initialState?: State | undefined; children: ReactNode }) {
  const [config] = useState(walletConfig);
  return (
    <WagmiProvider config={config} {...(initialState ? { initialState } : {})}>
      {children}
    </WagmiProvider>
  );
}

import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { cookieToInitialState } from 'wagmi';
import { walletConfig } from '@/components/wallet/config.ts';
import { WalletProvider } from '@/components/wallet/WalletProvider.tsx';

/** Only pages that use a browser wallet load the code for it. */
export default async function WalletLayout({ children }: { children: ReactNode }) {
  const initialState = cookieToInitialState(walletConfig(), (await headers()).get('cookie'));
  return <WalletProvider initialState={initialState}>{children}</WalletProvider>;
}

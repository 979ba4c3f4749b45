'use client';

import { useEffect, useState } from 'react';
import type { EIP1193Provider } from 'viem';

/** The error code when a wallet's owner declines (EIP-1193). */
const REJECTED = 4001;

/** A usable wallet. */
export interface FoundWallet {
  id: string;
  name: string;
  provider: EIP1193Provider;
}

interface Announcement extends Event {
  detail: { info: { uuid: string; name: string }; provider: EIP1193Provider };
}

/**
 * The browser's wallets: those that announce themselves (EIP-6963), else the single injected one. Null until looked up.
 * Needs none of the code that signs, which is loaded once a wallet is chosen.
 */
export function useWallets(): FoundWallet[] | null {
  const [wallets, setWallets] = useState<FoundWallet[] | null>(null);
  useEffect(() => {
    const found = new Map<string, FoundWallet>();
    const hear = (event: Event) => {
      const { info, provider } = (event as Announcement).detail;
      found.set(info.uuid, { id: info.uuid, name: info.name, provider });
      setWallets([...found.values()]);
    };
    const plain = (window as { ethereum?: EIP1193Provider }).ethereum;
    setWallets(plain ? [{ id: 'injected', name: 'your wallet', provider: plain }] : []);
    window.addEventListener('eip6963:announceProvider', hear);
    window.dispatchEvent(new Event('eip6963:requestProvider'));
    return () => window.removeEventListener('eip6963:announceProvider', hear);
  }, []);
  return wallets;
}

/** Whether a wallet's owner declined. */
export function isRejection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Object; at = (at as { cause?: unknown }).cause) {
    if ((at as { code?: unknown }).code === REJECTED) return true;
  }
  return false;
}

'use client';

import { useEffect, useState } from 'react';
import { type Config, type Connector, useConfig, useConnectors } from 'wagmi';
import { connect, getConnection } from 'wagmi/actions';

/** The error code when a wallet's owner declines (EIP-1193). */
const REJECTED = 4001;

/** A usable wallet. */
export interface FoundWallet {
  name: string;
  connector: Connector;
}

/**
 * The browser's wallets: those that announce themselves (EIP-6963), else the single injected one. Null until looked up.
 */
export function useWallets(): { config: Config; wallets: FoundWallet[] | null } {
  const config = useConfig();
  const connectors = useConnectors();
  const [looked, setLooked] = useState(false);
  useEffect(() => setLooked(true), []);
  if (!looked) return { config, wallets: null };
  const announced = connectors.filter(({ id }) => id !== 'injected');
  if (announced.length > 0) {
    return { config, wallets: announced.map((connector) => ({ name: connector.name, connector })) };
  }
  const plain = connectors.find(({ id }) => id === 'injected');
  const isThere = plain !== undefined && 'ethereum' in window;
  return { config, wallets: isThere ? [{ name: 'your wallet', connector: plain }] : [] };
}

/** The wallet's address, after asking for permission if needed. Rejects when its owner declines. */
export async function addressOf(config: Config, { connector }: FoundWallet): Promise<`0x${string}`> {
  const now = getConnection(config);
  if (now.status === 'connected' && now.connector.uid === connector.uid) return now.address;
  const { accounts } = await connect(config, { connector });
  const [address] = accounts;
  if (!address) throw new Error('the wallet shows no address');
  return address;
}

/** Whether a wallet's owner declined. */
export function isRejection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Object; at = (at as { cause?: unknown }).cause) {
    if ((at as { code?: unknown }).code === REJECTED) return true;
  }
  return false;
}

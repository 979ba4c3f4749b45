'use client';

import { useEffect, useState } from 'react';
import { type Config, type Connector, useConfig, useConnectors } from 'wagmi';
import { connect, getConnection } from 'wagmi/actions';

/** Wallets reject with this code when their owner says no (EIP-1193). */
const REJECTED = 4001;

/** A wallet that the page can ask. */
export interface FoundWallet {
  name: string;
  connector: Connector;
}

/**
 * The wallets of this browser: those that announce themselves (EIP-6963), otherwise the one that is simply there. Null
 * until the browser has been looked at.
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

/** The address that the wallet lets us see, asked for where it has not been yet. Rejects when its owner says no. */
export async function addressOf(config: Config, { connector }: FoundWallet): Promise<`0x${string}`> {
  const now = getConnection(config);
  if (now.status === 'connected' && now.connector.uid === connector.uid) return now.address;
  const { accounts } = await connect(config, { connector });
  const [address] = accounts;
  if (!address) throw new Error('the wallet shows no address');
  return address;
}

/** Whether an error says that the owner of the wallet said no. */
export function isRejection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Object; at = (at as { cause?: unknown }).cause) {
    if ((at as { code?: unknown }).code === REJECTED) return true;
  }
  return false;
}

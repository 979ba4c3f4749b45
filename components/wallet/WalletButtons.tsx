'use client';

import { Wallet } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FoundWallet } from './use-wallets.ts';

interface Props {
  wallets: FoundWallet[] | null;
  /** "Sign in with", "Pay with": followed by the wallet's name. */
  verb: ReactNode;
  /** What is happening, shown instead of the buttons' words; null for nothing. */
  busy: string | null;
  primary: boolean;
  onChoose: (wallet: FoundWallet) => void;
}

/** A button per browser wallet. Without scripts there are none, and the page says so. */
export function WalletButtons({ wallets, verb, busy, primary, onChoose }: Props) {
  if (wallets?.length === 0) {
    return (
      <p className="text-ink-2">
        This page found no wallet in this browser. Open it in the browser where your wallet is installed.
      </p>
    );
  }
  const all = wallets ?? [{ id: 'none', name: 'your wallet', provider: null }];
  return (
    <>
      <noscript>
        <p className="text-ink-2">Paying or signing in with a wallet needs JavaScript, which is off in this browser.</p>
      </noscript>
      <div className="grid gap-3 noscript:hidden">
        {all.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            className={`btn btn-lg w-full ${primary ? 'btn-primary' : ''}`}
            disabled={busy !== null || wallet.provider === null}
            onClick={() => wallet.provider && onChoose(wallet as FoundWallet)}
          >
            <Wallet className="icon" />
            {busy === null ? (
              <span>
                {verb} {wallet.name}
              </span>
            ) : (
              busy
            )}
          </button>
        ))}
      </div>
    </>
  );
}

'use client';

import { useRef, useState } from 'react';
import { Notice } from '@/components/ui/Notice.tsx';
import { type FoundWallet, isRejection, useWallets } from './use-wallets.ts';
import { WalletButtons } from './WalletButtons.tsx';

const CHALLENGE = '/api/x402/v1/wallets/challenge';

/** Lets a wallet's owner sign the server's message, and sends the signature in a form. */
export function WalletSignIn({ next }: { next: string }) {
  const wallets = useWallets();
  const [busy, setBusy] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);

  async function signIn(wallet: FoundWallet) {
    setRefused(null);
    setBusy('Waiting for the wallet');
    try {
      const { signedMessage } = await import('./signing.ts');
      const { challenge_key, signature } = await signedMessage(wallet, challengeFor);
      const { elements } = form.current as HTMLFormElement;
      (elements.namedItem('challenge_key') as HTMLInputElement).value = challenge_key;
      (elements.namedItem('signature') as HTMLInputElement).value = signature;
      form.current?.submit();
    } catch (error) {
      setBusy(null);
      setRefused(isRejection(error) ? 'The wallet did not sign. Nobody was signed in.' : sentence(error));
    }
  }

  return (
    <>
      {refused === null ? null : (
        <div className="mb-4 w-full">
          <Notice tone="attention">{refused}</Notice>
        </div>
      )}
      <div className="w-full">
        <WalletButtons wallets={wallets} verb="Sign in with" busy={busy} primary onChoose={signIn} />
      </div>
      <form ref={form} action="/sign-in/wallet/confirm" method="post" hidden>
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="challenge_key" />
        <input type="hidden" name="signature" />
      </form>
    </>
  );
}

class Refused extends Error {}

async function challengeFor(address: string): Promise<{ challenge_key: string; message: string }> {
  const response = await fetch(CHALLENGE, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.title);
  return answer;
}

function sentence(error: unknown): string {
  const why = error instanceof Refused ? error.message : 'The wallet or the service did not answer';
  return `${why}. Nobody was signed in.`;
}

'use client';

import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { type PublishedKeys, type SignedReceipt, verifyReceipt } from '@/client/verify-receipt.ts';

const KEYS_ADDRESS = '/.well-known/jwks.json';
const KEYS_TIMEOUT_MS = 10_000;

type Outcome = 'checking' | 'verified' | 'revoked_later' | 'altered' | 'unchecked';

const outcomes = {
  checking: { icon: 'open', title: 'Checking the signature', detail: '' },
  verified: {
    icon: 'good',
    title: 'Signature verified',
    detail: 'Checked in this browser against the published key. The text was not changed since it was signed.',
  },
  revoked_later: {
    icon: 'open',
    title: 'Signature verified; its key was revoked later',
    detail:
      'The receipt claims to be older than the revocation, but whoever stole the key could have written that too. Compare it with an earlier copy.',
  },
  altered: {
    icon: 'bad',
    title: 'The signature does not match',
    detail: 'The text shown here is not what was signed. Do not rely on it, and tell us.',
  },
  unchecked: {
    icon: 'open',
    title: 'Signature not checked',
    detail: 'The key could not be loaded, or this browser cannot check it. The steps below work anywhere.',
  },
} as const;

async function publishedKeys(): Promise<PublishedKeys> {
  const response = await fetch(KEYS_ADDRESS, { signal: AbortSignal.timeout(KEYS_TIMEOUT_MS) });
  return response.json();
}

/** Verifies the signature with the published key, and compares its payload with the page. */
async function check(record: SignedReceipt): Promise<Outcome> {
  const keys = await publishedKeys();
  try {
    const { keyRevokedAt } = await verifyReceipt(record, keys);
    return keyRevokedAt === null ? 'verified' : 'revoked_later';
  } catch (error) {
    // A browser without Ed25519 cannot check: say so.
    if (error instanceof Error && error.name === 'NotSupportedError') return 'unchecked';
    return keys.keys.some(({ kid }) => kid === record.signature.kid) ? 'altered' : 'unchecked';
  }
}

interface Props {
  record: SignedReceipt;
  /** Drawn by the server, so that no script for them is sent. */
  icons: Readonly<Record<'good' | 'open' | 'bad', ReactNode>>;
}

/** Verifies a signed record in the reader's own browser. */
export function SignatureCheck({ record, icons }: Props) {
  const [outcome, setOutcome] = useState<Outcome>('checking');
  const run = useCallback(() => {
    setOutcome('checking');
    // Offline, or no Ed25519: show that the result is unknown.
    check(record).then(setOutcome, () => setOutcome('unchecked'));
  }, [record]);
  useEffect(run, [run]);

  const { icon, title, detail } = outcomes[outcome];
  return (
    <div className="noscript:hidden">
      <div aria-live="polite">
        <h2 className="flex items-center gap-2 text-h3">
          {icons[icon]}
          {title}
        </h2>
        <p className="mt-1 min-h-10 text-dense text-ink-2">{detail}</p>
      </div>
      <button
        type="button"
        className="btn btn-sm mt-2 print:hidden"
        aria-disabled={outcome === 'checking'}
        onClick={outcome === 'checking' ? undefined : run}
      >
        Check again
      </button>
    </div>
  );
}

'use client';

import { useState } from 'react';
import { Notice } from '@/components/ui/Notice.tsx';
import { chainName } from '../purchases/receipt-words.ts';
import { type Bill, NotPayable, present, requirementOn } from './transfer.ts';
import { type FoundWallet, isRejection, useWallets } from './use-wallets.ts';
import { WalletButtons } from './WalletButtons.tsx';

interface Props {
  bill: Bill;
  /** The CAIP-2 names of the accepted chains. */
  networks: readonly string[];
  /** The page with the payment's state. */
  outcome: string;
  primary?: boolean;
}

/** Pays from a browser wallet: it signs one transfer of exactly the price, which the service executes. */
export function WalletPay({ bill, networks, outcome, primary = false }: Props) {
  const wallets = useWallets();
  const [network, setNetwork] = useState(networks[0] ?? '');
  const [busy, setBusy] = useState<string | null>(null);
  const [told, setTold] = useState<string | null>(null);
  const [signed, setSigned] = useState<string | null>(null);

  async function pay(wallet: FoundWallet) {
    setTold(null);
    setBusy('Waiting for the wallet');
    try {
      const { signedTransfer } = await import('./signing.ts');
      await carry(await signedTransfer(wallet, () => requirementOn(network, bill)));
    } catch (error) {
      setBusy(null);
      setTold(whyNotSigned(error));
    }
  }

  async function carry(signature: string) {
    setSigned(signature);
    setBusy('Paying');
    const fate = await present(bill, signature);
    if (fate.is === 'told') return window.location.assign(outcome);
    setBusy(null);
    if (fate.is === 'silent') return;
    setSigned(null);
    setTold(`The payment was not accepted: ${fate.because}.`);
  }

  if (signed !== null && busy === null) return <NoAnswer onAsk={() => carry(signed)} />;
  return (
    <div className="space-y-3">
      {told === null ? null : <Notice tone="attention">{told}</Notice>}
      {wallets?.length === 0 ? null : <NetworkChoice networks={networks} value={network} onChange={setNetwork} />}
      <WalletButtons wallets={wallets} verb="Pay with" busy={busy} primary={primary} onChoose={pay} />
    </div>
  );
}

/** Resends the same signature: a second one could pay twice. */
function NoAnswer({ onAsk }: { onAsk: () => void }) {
  return (
    <div className="space-y-3">
      <Notice tone="attention">
        Please do not pay again. We do not know yet whether this payment went through: the service has not answered.
      </Notice>
      <button type="button" className="btn btn-lg w-full" onClick={onAsk}>
        Send the same payment again
      </button>
    </div>
  );
}

interface Choice {
  networks: readonly string[];
  value: string;
  onChange: (network: string) => void;
}

function NetworkChoice({ networks, value, onChange }: Choice) {
  if (networks.length < 2) return null;
  return (
    <div className="noscript:hidden">
      <label className="label" htmlFor="network">
        Network
      </label>
      <div className="field">
        <select id="network" value={value} onChange={(event) => onChange(event.target.value)}>
          {networks.map((network) => (
            <option key={network} value={network}>
              {chainName(network)}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

/** Until the wallet signs, no money can move. */
function whyNotSigned(error: unknown): string {
  if (error instanceof NotPayable) return `${error.message} Nothing was signed.`;
  if (isRejection(error)) return 'The wallet did not sign. Nothing was paid with it.';
  return 'The wallet or the service did not answer. Nothing was signed.';
}

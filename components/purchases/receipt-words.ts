import type { Receipt } from '@/server/purchases/contract.ts';

const rails: Record<string, string> = { card: 'Card', x402: 'x402, USDC' };

const methods: Record<string, string> = {
  card_saved: 'saved card',
  card_checkout: 'payment link',
  wallet_credit: 'wallet credit',
};

const networks: Record<string, string> = {
  'eip155:84532': 'on Base Sepolia',
  'eip155:421614': 'on Arbitrum Sepolia',
  'eip155:8453': 'on Base',
  'eip155:42161': 'on Arbitrum',
};

/** Where the money came from: `x402, USDC on Base`, `Card, payment link`. */
export function collectedFrom(collection: Receipt['collection'], network?: string): string {
  if (collection.rail === null) return 'Nobody yet';
  if (collection.method === 'wallet_credit') return 'Wallet credit';
  const rail = rails[collection.rail] ?? collection.rail;
  const place = network ? networks[network] : undefined;
  const method = collection.method ? methods[collection.method] : undefined;
  return [place ? `${rail} ${place}` : rail, method].filter(Boolean).join(', ');
}

const remedyKinds: Record<string, string> = {
  none: 'None',
  correction: 'Correction re-check',
  refund: 'Refund to where the money came from',
  wallet_credit: 'Wallet credit for later checks',
  reversal: 'The payment was taken back outside this service',
};

export function remedyKind(kind: string): string {
  return remedyKinds[kind] ?? kind.replaceAll('_', ' ');
}

/** A code such as `accepted_by_buyer` as words: `Accepted by buyer`. */
export function codeText(code: string): string {
  const text = code.replaceAll('_', ' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const chargeNotes: Record<string, string> = {
  none: 'What the service keeps. Nothing, for this job.',
  held: 'What the service keeps once the report is accepted. Until then the money is held.',
  final: 'What the service keeps.',
  waived: 'What the service keeps. Nothing, for this job.',
};

export function chargeNote(state: string): string {
  return chargeNotes[state] ?? 'What the service keeps.';
}

/** What one receipt added to the one before it, in two or three words. */
export function receiptEvent(receipt: Receipt, previous: Receipt | undefined): string {
  const remedy = `${receipt.remedy.kind} ${receipt.remedy.state}`;
  if (receipt.remedy.kind !== 'none' && remedy !== `${previous?.remedy.kind} ${previous?.remedy.state}`) {
    return receipt.remedy.kind === 'correction' ? 'Correction re-check' : codeText(receipt.remedy.kind);
  }
  if (receipt.charge.state !== previous?.charge.state && ['final', 'waived'].includes(receipt.charge.state)) {
    return `Charge ${receipt.charge.state}`;
  }
  return codeText(receipt.collection.state);
}

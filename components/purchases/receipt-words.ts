import type { Receipt } from '@/server/purchases/contract.ts';

const rails: Record<Receipt['collection']['rail'], string> = { card: 'Card', x402: 'x402, USDC' };

const methods: Record<string, string> = {
  card_saved: 'saved card',
  card_checkout: 'payment link',
  wallet_credit: 'wallet credit',
};

const chains: Record<string, string> = {
  'eip155:84532': 'Base Sepolia',
  'eip155:421614': 'Arbitrum Sepolia',
  'eip155:8453': 'Base',
  'eip155:42161': 'Arbitrum',
};

export interface PaymentReference {
  /** The chain's name; null for a payment on none. */
  chain: string | null;
  /** The provider's reference of the payment. */
  id: string;
}

/** `eip155:84532:0x…` as chain and transaction; any other reference unchanged. */
export function paymentReference(reference: string): PaymentReference {
  const onChain = /^(eip155:\d+):(.+)$/.exec(reference);
  return onChain?.[1] && onChain[2] ? { chain: chainName(onChain[1]), id: onChain[2] } : { chain: null, id: reference };
}

/** A network's usual name by its CAIP-2 id: `eip155:84532` is `Base Sepolia`. */
export function chainName(network: string): string {
  return chains[network] ?? network;
}

const explorers: Record<string, string> = {
  'eip155:84532': 'https://sepolia.basescan.org/tx/',
  'eip155:421614': 'https://sepolia.arbiscan.io/tx/',
  'eip155:8453': 'https://basescan.org/tx/',
  'eip155:42161': 'https://arbiscan.io/tx/',
};

/** Where anybody can look a transaction up; null for a payment on no known chain. */
export function explorerAddress(reference: string): string | null {
  const [, network = '', transaction] = /^(eip155:\d+):(0x[0-9a-f]{64})$/.exec(reference) ?? [];
  const explorer = explorers[network];
  return explorer === undefined || transaction === undefined ? null : explorer + transaction;
}

/** How it was paid: `x402, USDC on Base`, `Card, payment link`. */
export function collectedFrom(collection: Receipt['collection']): string {
  if (collection.method === 'wallet_credit') return 'Wallet credit';
  const { chain } = paymentReference(collection.reference);
  const rail = rails[collection.rail];
  const method = methods[collection.method];
  return [chain ? `${rail} on ${chain}` : rail, method].filter(Boolean).join(', ');
}

/** The kind of remedy. */
export const remedyKinds: Record<Receipt['remedy']['kind'], string> = {
  none: 'None',
  correction: 'Correction re-check',
  refund: 'Refund to where the money came from',
  wallet_credit: 'Wallet credit for later checks',
  reversal: 'The payment was taken back outside this service',
};

/** A code such as `accepted_by_buyer` as words: `Accepted by buyer`. */
function codeText(code: string): string {
  const text = code.replaceAll('_', ' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The meaning of a charge's date in each state. */
export const chargeDates: Record<Receipt['charge']['state'], string> = {
  none: 'Closed on',
  held: 'Held since',
  final: 'Final on',
  waived: 'Waived on',
};

/** The meaning of a charge's state for the reader. */
export const chargeNotes: Record<Receipt['charge']['state'], string> = {
  none: 'What the service keeps. Nothing, for this job.',
  held: 'What the service keeps once the report is accepted. Until then the money is held.',
  final: 'What the service keeps.',
  waived: 'What the service keeps. Nothing, for this job.',
};

/** The meaning of a remedy's new state for the job. */
const remedyEvents: Record<string, string> = {
  'correction pending': 'Disputed, re-check due',
  'correction delivered': 'Re-checked report delivered',
  'refund refund_pending': 'Charge waived, refund due',
  'refund refunded': 'Refunded',
  'refund refund_failed': 'Refund failed',
};

/** What a receipt added to the previous one, in two or three words. */
export function receiptEvent(receipt: Receipt, previous: Receipt | undefined): string {
  const remedy = `${receipt.remedy.kind} ${receipt.remedy.state}`;
  if (receipt.remedy.kind !== 'none' && remedy !== `${previous?.remedy.kind} ${previous?.remedy.state}`) {
    return remedyEvents[remedy] ?? codeText(receipt.remedy.kind);
  }
  if (receipt.charge.state !== previous?.charge.state && ['final', 'waived'].includes(receipt.charge.state)) {
    return `Charge ${receipt.charge.state}`;
  }
  if (previous && receipt.report_digest !== previous.report_digest) return 'Report delivered';
  return codeText(receipt.collection.state);
}

import { describe, expect, it } from 'vitest';
import type { Receipt } from '@/server/purchases/contract.ts';
import { collectedFrom, explorerAddress, paymentReference, receiptEvent } from './receipt-words.ts';

const transaction = `0x${'ab'.repeat(32)}`;

const collected: Receipt = {
  receipt_version: 'svc.receipt.v1',
  receipt_key: 'rcpt_1',
  job_key: 'job_1',
  issued_at: '2026-11-20T13:41:55.000Z',
  sequence: 1,
  previous_receipt_digest: null,
  quote_digest: `sha256:${'1'.repeat(64)}`,
  grant_digest: `sha256:${'2'.repeat(64)}`,
  input_digest: `sha256:${'2'.repeat(64)}`,
  report_digest: null,
  collection: {
    state: 'collected',
    rail: 'x402',
    method: 'exact',
    amount_microcents: 500_000_000,
    currency: 'USD',
    collected_at: '2026-11-20T13:41:52.000Z',
    reference: `eip155:421614:${transaction}`,
  },
  charge: { state: 'held', amount_microcents: 500_000_000, finalized_at: null, basis: 'Held.' },
  remedy: { kind: 'none', state: 'none', amount_microcents: 0, reason: null, at: null },
  business_authority: 'advisory_only',
  receipt_certifies_work: false,
  terms_version: '2026-07-21',
  signature: { kid: 'key', alg: 'EdDSA', jws: 'a.b.c' },
};

describe('where the money came from', () => {
  it('names the chain of a stablecoin payment and keeps the transaction whole', () => {
    expect(collectedFrom(collected.collection)).toBe('x402, USDC on Arbitrum Sepolia');
    expect(paymentReference(collected.collection.reference)).toEqual({ chain: 'Arbitrum Sepolia', id: transaction });
  });

  it('names how a card paid', () => {
    const card = { ...collected.collection, rail: 'card' as const, method: 'card_checkout', reference: 'pi_3QK9' };
    expect(collectedFrom(card)).toBe('Card, payment link');
    expect(paymentReference(card.reference)).toEqual({ chain: null, id: 'pi_3QK9' });
  });

  it('does not call spent credit a payment on a chain', () => {
    expect(collectedFrom({ ...collected.collection, method: 'wallet_credit' })).toBe('Wallet credit');
  });
});

describe('what a receipt adds to the one before it', () => {
  const final: Receipt = { ...collected, sequence: 2, charge: { ...collected.charge, state: 'final' } };
  const delivered: Receipt = { ...collected, sequence: 2, report_digest: `sha256:${'3'.repeat(64)}` };
  const credited: Receipt = {
    ...collected,
    sequence: 2,
    collection: { ...collected.collection, state: 'credited' },
    charge: { ...collected.charge, state: 'none' },
    remedy: { ...collected.remedy, kind: 'wallet_credit', state: 'credited', amount_microcents: 500_000_000 },
  };

  const remedied = (receipt: Receipt, kind: Receipt['remedy']['kind'], state: string): Receipt => ({
    ...receipt,
    remedy: { ...receipt.remedy, kind, state },
  });
  const disputed = remedied(delivered, 'correction', 'pending');
  const corrected = remedied(delivered, 'correction', 'delivered');
  const waived = remedied({ ...delivered, charge: { ...final.charge, state: 'waived' } }, 'refund', 'refund_pending');
  const refunded = remedied(waived, 'refund', 'refunded');

  it.each([
    ['the first collection', collected, undefined, 'Collected'],
    ['a delivery', delivered, collected, 'Report delivered'],
    ['an acceptance', final, collected, 'Charge final'],
    ['a remedy', credited, collected, 'Wallet credit'],
    ['a first dispute', disputed, delivered, 'Disputed, re-check due'],
    ['a correction', corrected, disputed, 'Re-checked report delivered'],
    ['a second dispute', waived, corrected, 'Charge waived, refund due'],
    ['a refund', refunded, waived, 'Refunded'],
  ])('says so after %s', (_, receipt, previous, words) => {
    expect(receiptEvent(receipt, previous)).toBe(words);
  });
});

describe('a transaction on a chain', () => {
  it('can be looked up by anybody, and nothing else becomes an address', () => {
    expect(explorerAddress(`eip155:8453:${transaction}`)).toBe(`https://basescan.org/tx/${transaction}`);
    for (const other of ['pi_1', `eip155:1:${transaction}`, 'eip155:8453:0x1/../..', `eip155:8453:${transaction}?a=b`])
      expect(explorerAddress(other)).toBeNull();
  });
});

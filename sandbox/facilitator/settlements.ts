import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { Hex } from 'viem';

/** All requests about one signed authorization, and what really happened. */
export type Settlement = {
  network: string;
  asset: string;
  payer: string;
  pay_to: string;
  nonce: string;
  /** In the asset's smallest unit. */
  amount: string;
  verify_calls: number;
  settle_calls: number;
  /** Transactions sent to the chain. A claimed success without one was a lie. */
  transactions: Hex[];
  /** The answers to settle calls, oldest first; null where none was sent. */
  answers: (SettleResponse | null)[];
};

const SETTLEMENTS_MAX = 20_000;
const ANSWERS_KEPT = 200;

/** The facilitator's memory of authorizations; forgets the oldest first. */
export function settlementRecord() {
  const byAuthorization = new Map<string, Settlement>();

  function find(payload: PaymentPayload, requirements: PaymentRequirements): Settlement {
    const authorization = readAuthorization(payload);
    const key = [requirements.network, requirements.asset, authorization.from, authorization.nonce]
      .join(' ')
      .toLowerCase();
    const known = byAuthorization.get(key);
    if (known) return known;
    const oldest = byAuthorization.keys().next();
    if (byAuthorization.size >= SETTLEMENTS_MAX && !oldest.done) byAuthorization.delete(oldest.value);
    const settlement: Settlement = {
      network: requirements.network,
      asset: requirements.asset,
      payer: authorization.from,
      pay_to: authorization.to,
      nonce: authorization.nonce,
      amount: authorization.value,
      verify_calls: 0,
      settle_calls: 0,
      transactions: [],
      answers: [],
    };
    byAuthorization.set(key, settlement);
    return settlement;
  }

  return {
    find,
    answered(settlement: Settlement, answer: SettleResponse | null) {
      settlement.answers.push(answer);
      if (settlement.answers.length > ANSWERS_KEPT) settlement.answers.shift();
    },
    /** Newest first, filtered by `payer` and `nonce`. */
    list(filter: { payer?: string | undefined; nonce?: string | undefined }): Settlement[] {
      const same = (wanted: string | undefined, value: string) => wanted?.toLowerCase() === value.toLowerCase();
      return [...byAuthorization.values()]
        .filter((entry) => filter.payer === undefined || same(filter.payer, entry.payer))
        .filter((entry) => filter.nonce === undefined || same(filter.nonce, entry.nonce))
        .reverse();
    },
  };
}

function readAuthorization(payload: PaymentPayload): { from: string; to: string; value: string; nonce: string } {
  const authorization: unknown = payload.payload.authorization;
  const fields = typeof authorization === 'object' && authorization !== null ? Object.entries(authorization) : [];
  const read = (name: string) => String(fields.find(([key]) => key === name)?.[1] ?? '');
  return { from: read('from'), to: read('to'), value: read('value'), nonce: read('nonce') };
}

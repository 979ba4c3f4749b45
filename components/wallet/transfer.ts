/** The demand of an unpaid answer on one chain (x402 version 2, PaymentRequirements). */
export interface Requirement {
  scheme: string;
  network: `eip155:${number}`;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** What to pay, and where. */
export interface Bill {
  /** The paying operation, and what to send besides the signature. */
  address: string;
  body: Record<string, unknown>;
  microcents: number;
}

/** How an attempt to pay ended, as far as this browser knows. */
export type Fate =
  /** The service answered, and the page shows the result. */
  | { is: 'told' }
  /** Nothing was taken, and why. */
  | { is: 'refused'; because: string }
  /** Sent without an answer. */
  | { is: 'silent' };

/** Microcents per unit of the token. */
const UNIT_MICROCENTS = 100;
const TRIES = 4;
const PAUSE_MS = 2_000;

/** Thrown when a payment is impossible, before anything was signed. */
export class NotPayable extends Error {}

/** The service's demand on this chain. Throws `NotPayable`. */
export async function requirementOn(network: string, bill: Bill): Promise<Requirement> {
  const response = await send(bill, null);
  const answer = await response.json();
  if (response.status !== 402) throw new NotPayable(answer.detail ?? answer.title ?? 'This cannot be paid now.');
  const found = (answer.accepts as Requirement[]).find((one) => one.network === network);
  if (!found) throw new NotPayable('Payments on this network are not accepted now.');
  // The wallet must sign exactly what the page shows.
  if (Number(found.amount) * UNIT_MICROCENTS !== bill.microcents) throw new NotPayable('The amount is not the price.');
  return found;
}

/** Sends a signed transfer until an answer arrives. It is the same each time, so it moves the money at most once. */
export async function present(bill: Bill, signature: string): Promise<Fate> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const response = await send(bill, signature).catch(() => null);
    if (response === null || response.status === 429 || response.status >= 500) continue;
    if (response.status !== 402) return { is: 'told' };
    const answer = await response.json().catch(() => ({}));
    return { is: 'refused', because: String(answer.error ?? 'no reason was given') };
  }
  return { is: 'silent' };
}

function send({ address, body }: Bill, signature: string | null): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'payment-signature': signature }),
    },
    body: JSON.stringify(body),
  });
}

import { isCardNumber } from '../cards.ts';
import type { CardEntry } from '../objects/payment-method.ts';

/** A valid form, or its errors by field. */
export type ReadEntry = { card: CardEntry; save: boolean } | { faults: Partial<Record<string, string>> };

const CENTURY = 2_000;
const MONTHS = 12;

/** Reads the payment form; `now` is in seconds since 1970. */
export function readEntry(values: Readonly<Record<string, string>>, now: number): ReadEntry {
  const number = (values.number ?? '').replace(/[\s-]/g, '');
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*\/?\s*(\d{2})\s*$/.exec(values.expiry ?? '') ?? [];
  const expMonth = Number(month);
  const expYear = CENTURY + Number(year);
  const email = (values.email ?? '').trim();
  const name = (values.name ?? '').trim();
  const faults = {
    ...(/^[^@\s]+@[^@\s]+$/.test(email) ? {} : { email: 'Enter an e-mail address.' }),
    ...(isCardNumber(number) ? {} : { number: 'Your card number is invalid.' }),
    ...expiryFault(expMonth, expYear, now),
    ...(/^\d{3,4}$/.test((values.cvc ?? '').trim()) ? {} : { cvc: "Your card's security code is incomplete." }),
    ...(name === '' ? { name: 'Enter the name on the card.' } : {}),
  };
  if (Object.keys(faults).length > 0) return { faults };
  return { card: { number, expMonth, expYear, email, name }, save: values.save === 'on' };
}

function expiryFault(month: number, year: number, now: number): { expiry?: string } {
  if (!(month >= 1 && month <= MONTHS)) return { expiry: "Your card's expiration date is incomplete." };
  const today = new Date(now * 1_000);
  const past = year * MONTHS + month < today.getUTCFullYear() * MONTHS + today.getUTCMonth() + 1;
  return past ? { expiry: "Your card's expiration date is in the past." } : {};
}

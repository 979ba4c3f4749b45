import { clip } from '../quoting.ts';
import type { Kind, Reader } from './reader.ts';

const AMOUNT = /(?<![\d.,:/-])\d[\d,]*\.\d{2}(?![\d.:/-]|\s?(?:%|percent))/g;
const CURRENCY = /[€£$¥]|\b(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|euros?|dollars?|pounds?|francs?|cents?|pence)\b/i;
const BESIDE = 12;

/** "Every amount carries its currency": each amount with cents and each figure of money is looked at. */
const readCurrencies: Reader = (_, { work }) => {
  const text = typeof work.value === 'string' ? work.value : '';
  const found = [...text.matchAll(AMOUNT)];
  const bare = found.filter(
    ({ 0: amount, index }) =>
      !CURRENCY.test(text.slice(Math.max(0, index - BESIDE / 2), index)) &&
      !CURRENCY.test(text.slice(index + amount.length, index + amount.length + BESIDE)),
  );
  if (found.length === 0) return undefined;
  if (bare.length === 0)
    return {
      status: 'met',
      reason: `Each of the ${found.length} amounts with cents has its currency beside it.`,
      passages: [],
    };
  return {
    status: 'partly_met',
    reason: `Of ${found.length} amounts with cents, ${bare.length} ${bare.length === 1 ? 'has' : 'have'} no currency beside ${bare.length === 1 ? 'it' : 'them'}, such as “${clip(bare[0]?.[0] ?? '')}”.`,
    passages: [],
  };
};

export const currencies: Kind = {
  name: 'currency',
  basis: 'form',
  decides: 'whether amounts have their currency beside them',
  known: /\b(?:amounts?|prices?|sums?|costs?)\b.{0,40}\bcurrenc(?:y|ies)\b/i,
  read: readCurrencies,
};

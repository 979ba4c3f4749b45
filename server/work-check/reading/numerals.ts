import { CURRENCIES, unitAfter } from './measures.ts';
import { readNumberWords, withHalf } from './number-words.ts';
import type { Quantity } from './quantity.ts';
import type { Token } from './token.ts';

/** Numbers in digits and words, with their scales, percents and currencies. */

export const SMALL = new Map(
  (
    'zero 0,two 2,three 3,four 4,five 5,six 6,seven 7,eight 8,nine 9,ten 10,eleven 11,twelve 12,thirteen 13,fourteen 14,' +
    'fifteen 15,sixteen 16,seventeen 17,eighteen 18,nineteen 19,twenty 20,thirty 30,forty 40,fifty 50,sixty 60,' +
    'seventy 70,eighty 80,ninety 90,dozen 12,twice 2,third 3,fourth 4,fifth 5,sixth 6,seventh 7,eighth 8,ninth 9,tenth 10'
  )
    .split(',')
    .map((pair) => {
      const [word = '', value = '0'] = pair.split(' ');
      return [word, Number(value)] as const;
    }),
);

const ORDINAL_WORDS = new Set('third fourth fifth sixth seventh eighth ninth tenth'.split(' '));

const SCALES = new Map([
  ['hundred', 1e2],
  ['thousand', 1e3],
  ['k', 1e3],
  ['million', 1e6],
  ['mn', 1e6],
  ['m', 1e6],
  ['billion', 1e9],
  ['bn', 1e9],
  ['b', 1e9],
  ['trillion', 1e12],
  ['tn', 1e12],
  ['lakh', 1e5],
  ['crore', 1e7],
]);

export const ORDINAL_TAILS = new Set(['st', 'nd', 'rd', 'th']);

/** A whole number in digits alone, within bounds. */
export function plainInteger(token: Token | undefined, min: number, max: number): number | undefined {
  if (token?.kind !== 'number' || !/^\d+$/.test(token.lower)) return undefined;
  const value = Number(token.lower);
  return value >= min && value <= max ? value : undefined;
}

/** The value of one token, and what its last digit is worth. */
export function numeral(token: Token | undefined): { value: number; step: number } | undefined {
  if (token === undefined) return undefined;
  if (token.kind === 'number') {
    const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(token.lower);
    const plain = grouped ? token.lower.replaceAll(',', '') : token.lower;
    const continental = /^\d{1,3}(?:\.\d{3})+,\d{1,2}$/.test(plain) ? plain.replaceAll('.', '') : plain;
    const decimalComma = /^\d+,\d{1,2}$/.test(continental) ? continental.replace(',', '.') : continental;
    if (!/^\d+(?:\.\d+)?$/.test(decimalComma)) return undefined;
    const point = decimalComma.indexOf('.');
    return { value: Number(decimalComma), step: point === -1 ? 1 : 10 ** (point + 1 - decimalComma.length) };
  }
  const small = SMALL.get(token.lower);
  return small === undefined ? undefined : { value: small, step: 1 };
}

/** The number that opens at a token, with what follows it: tens and ones, scales, percent, currency or unit. */
export function readNumber(tokens: readonly Token[], at: number): Quantity | undefined {
  const head = headOf(tokens, at);
  if (head === undefined) return undefined;
  const { last: end, factor } = scaled(tokens, head.last);
  const step = head.step * factor;
  const isTailed = ORDINAL_TAILS.has(tokens[end + 1]?.lower ?? '') && tokens[end + 1]?.start === tokens[end]?.end;
  const last = isTailed ? end + 1 : end;
  const isOrdinal = isTailed || ORDINAL_WORDS.has(tokens[last]?.lower ?? '');
  const base = {
    value: head.value * factor,
    tolerance: factor !== 1 || head.step !== 1 ? step / 2 : 0,
    start: tokens[at]?.start ?? 0,
    first: at,
  };
  const counted = percentAfter(tokens, last) ?? moneyAround(tokens, at, last);
  if (counted !== undefined) return { ...base, ...counted, end: tokens[counted.last]?.end ?? base.start };
  const unit = isOrdinal ? 'ordinal' : unitAfter(tokens, last);
  return { ...base, kind: 'number', unit, end: tokens[last]?.end ?? base.start, last };
}

type Counted = Pick<Quantity, 'kind' | 'unit' | 'last'>;

/** The number that opens at a token, before its scale. */
function headOf(tokens: readonly Token[], at: number): { value: number; step: number; last: number } | undefined {
  const worded = readNumberWords(tokens, at);
  if (worded !== undefined) return worded;
  const head = numeral(tokens[at]);
  return head && withHalf(tokens, { ...head, last: at });
}

/** "1.2 million", "3 hundred thousand". */
function scaled(tokens: readonly Token[], from: number): { last: number; factor: number } {
  let [last, factor] = [from, 1];
  for (let scale = scaleAfter(tokens, last); scale !== undefined; scale = scaleAfter(tokens, last)) {
    factor *= scale.factor;
    last = scale.last;
  }
  return { last, factor };
}

const PERCENT = new Set(['%', 'percent', 'pct']);

function percentAfter(tokens: readonly Token[], last: number): Counted | undefined {
  const after = tokens[last + 1]?.lower ?? '';
  if (PERCENT.has(after)) return { kind: 'percent', unit: '%', last: last + 1 };
  const isPerCent = after === 'per' && tokens[last + 2]?.lower === 'cent';
  return isPerCent ? { kind: 'percent', unit: '%', last: last + 2 } : undefined;
}

/** A currency before the number or behind it. */
function moneyAround(tokens: readonly Token[], at: number, last: number): Counted | undefined {
  const before = CURRENCIES.get(wordBefore(tokens, at));
  if (before !== undefined) return { kind: 'money', unit: before, last };
  const after = tokens[last + 1];
  const currency = CURRENCIES.get(after?.lower ?? '') ?? CURRENCIES.get(after?.stem ?? '');
  return currency === undefined ? undefined : { kind: 'money', unit: currency, last: last + 1 };
}

export const wordBefore = (tokens: readonly Token[], at: number): string => (at > 0 && tokens[at - 1]?.lower) || '';

function scaleAfter(tokens: readonly Token[], last: number): { factor: number; last: number } | undefined {
  const next = tokens[last + 1];
  if (next === undefined) return undefined;
  const joined = next.start === tokens[last]?.end;
  const letter = next.lower.length <= 2;
  if (letter && next.lower === 'm' && !joined) return undefined;
  if (letter && next.lower !== 'bn' && next.lower !== 'mn' && next.lower !== 'tn' && !joined) return undefined;
  const factor = SCALES.get(next.lower) ?? SCALES.get(next.stem);
  return factor === undefined ? undefined : { factor, last: last + 1 };
}

import type { JsonValue } from '../../kernel/json-value.ts';
import { wordsOfKey } from '../statements.ts';
import { written } from './printed.ts';
import { isSlip } from './slip.ts';
import { type RecordSum, valueCountsIn } from './value-counts.ts';

type JsonObject = { [key: string]: JsonValue };

const COUNT = /^(?:quantity|qty|count|units?|pieces?|hours?|nights?|days|number|amount of|ordered|pcs|seats?)\b/;
const PRICE = /\b(?:price|rate|fee|cost per|unit cost|each)\b/;
const AMOUNT = /^(?:line )?(?:amount|total|sum|cost|value|net|line total|subtotal)\b/;
const TOTAL = /\b(?:total|subtotal|sum)\b/;
const SURCHARGE = /\b(?:contingency|tax|vat|shipping|freight|delivery|fee|fees|surcharge|tip|reserve)\b/;
const DISCOUNT = /\b(?:discount|rebate|credit$|deduction)\b/;
/** What is taken off at once, and not for those who pay early. */
const LESS = /^(?:line )?(?:discount|rebate) (?:percent|pct|percentage|rate)$/;
const TAX = /\b(?:tax|vat)\b/;
/** What is gross and net of these is no sum of money. */
const MEASURE = /\b(?:weight|mass|volume|area|tonnage|load)\b/;
const REST =
  /\b(?:gap|balance|difference|remaining|remainder|left|shortfall|surplus|deficit|unspent|to pay|payable|due|outstanding|net)\b/;
const PAID = /\b(?:deposit|paid|prepaid|prepayment|advance|instal?lments?|down payment)\b/;
/** What "per person" counts. */
const PEOPLE = /^(?:guest|person|people|participant|attendee|visitor|head|adult|delegate|pupil|student|traveller)s?\b/;
/** Names that can mean nothing but money: "delivery days", "late fee" and "total nights" stand for something else. */
const MONEY = new Set(
  (
    'total totals grand sub subtotal sum gross net amount amounts price cost costs value fee fees balance due payable outstanding ' +
    'to pay remaining remainder rest left open difference gap shortfall surplus deficit unspent deposit paid prepaid prepayment ' +
    'advance down payment payments instalment installment tax taxes vat shipping freight delivery surcharge contingency tip reserve ' +
    'discount rebate credit deduction budget spent spending expenses expense income revenue invoice order actual planned city ' +
    'service handling eur usd gbp chf cents in of the after before incl including excl excluding with without'
  ).split(' '),
);
const isMoney = (...fields: readonly Field[]): boolean =>
  fields.every(({ words }) => words.split(' ').every((word) => MONEY.has(word)));
const CURRENCY = /\b(?:eur|usd|gbp|chf)$|\bper \w+$|\b(?:costs?|fees?|expenses?|travel|extras?|amounts?)\b/;

const PERCENT = /\b(?:percent|pct|percentage|rate)\b/;

/** Half a cent and a hair: what a sum of printed amounts may be off. */
const NEAR = 0.0051;
/** Nested objects and elements that are looked at. */
const OBJECTS_MAX = 2_000;

/**
 * Recalculates structured work by the names of its fields: quantity × price = amount, totals over a list, subtotal plus
 * surcharges, what is left between two totals, a share given in percent, and counts by value. Where the names leave open what must give a
 * figure, only a calculation that comes out is reported.
 */
export function sumsIn(root: JsonValue): RecordSum[] {
  const found: RecordSum[] = [];
  let seen = 0;
  const visit = (value: JsonValue, path: string): void => {
    if (typeof value !== 'object' || value === null || seen >= OBJECTS_MAX) return;
    seen += 1;
    if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, `${path}/${at}`);
    else {
      found.push(...sumsOf(value, path), ...valueCountsIn(value, path));
      for (const [key, item] of Object.entries(value))
        visit(item, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  };
  visit(root, '');
  const alike = new Map<string, number>();
  for (const { holds, path } of found) if (holds) alike.set(placeless(path), (alike.get(placeless(path)) ?? 0) + 1);
  return found.map(
    (sum): RecordSum => (isSure(sum, alike.get(placeless(sum.path)) ?? 0) ? { ...sum, sure: true } : sum),
  );
}

/** Other records in which a calculation comes out before it accuses one in which it does not. */
const RECORDS_ALIKE = 2;

/**
 * What a field is by its name may be something else (a mean, a part of a credit): a sum is meant where it comes out in
 * other records, or a digit slipped.
 */
const isSure = ({ value, claimed, sure }: RecordSum, alike: number): boolean =>
  sure === true || alike >= RECORDS_ALIKE || isSlip(claimed, value);

/** The place of a field in whichever record of its list. */
const placeless = (path: string): string => path.replaceAll(/\/\d+(?=\/)/g, '/*');

type Field = { key: string; words: string; value: number };

function fieldsOf(record: JsonObject): Field[] {
  return Object.entries(record).flatMap(([key, value]) =>
    typeof value === 'number' ? [{ key, words: wordsOfKey(key), value }] : [],
  );
}

function sumsOf(record: JsonObject, path: string): RecordSum[] {
  const fields = fieldsOf(record);
  const at = (field: Field, value: number, says: string, sure: boolean): RecordSum[] => {
    const rounded = Math.round(value * 1e4) / 1e4;
    const holds = Math.abs(rounded - field.value) <= NEAR;
    return holds || sure
      ? [
          {
            path: `${path}/${field.key}`,
            holds,
            says: `${says} = ${written(rounded)}`,
            value: rounded,
            claimed: field.value,
          },
        ]
      : [];
  };
  const line = lineAmount(fields, at);
  const found: RecordSum[] = line.length > 0 ? line : perHead(fields, at);
  for (const field of fields) {
    if (found.some((sum) => sum.path === `${path}/${field.key}`)) continue;
    const tried = [
      ...listTotal(record, field, at),
      ...surcharged(fields, field, at),
      ...rest(fields, field, at),
      ...shareOf(fields, field, at),
    ];
    const chosen = tried.find(({ holds }) => holds) ?? tried[0];
    if (chosen !== undefined && (chosen.holds || !comesOfTwo(field, record))) found.push(chosen);
  }
  return found;
}

/** "Payable" may be the total less that of a credit note: what two figures of the record or of its parts give is accused by no other. */
function comesOfTwo({ value }: Field, record: JsonObject): boolean {
  const parts = Object.values(record).flatMap((part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? fieldsOf(part) : [],
  );
  const figures = [...fieldsOf(record), ...parts].filter((one) => one.value !== value && one.value !== 0);
  return figures.some((a) => figures.some((b) => a !== b && Math.abs(a.value - b.value - value) <= NEAR));
}

type Report = (field: Field, value: number, says: string, sure: boolean) => RecordSum[];

/** A total of nights beside a price of breakfast is more than one product. */
const pricesMore = (fields: readonly Field[], used: readonly Field[]): boolean =>
  fields.some(
    (field) =>
      !used.includes(field) &&
      (DISCOUNT.test(field.words) ||
        ([PERCENT, PAID, REST].every((words) => !words.test(field.words)) &&
          [SURCHARGE, CURRENCY].some((words) => words.test(field.words)))),
  );

function lineAmount(fields: readonly Field[], at: Report): RecordSum[] {
  const [counts, prices, amounts] = [
    fields.filter(({ words }) => COUNT.test(words) && !PRICE.test(words)),
    fields.filter(({ words }) => PRICE.test(words)),
    fields.filter(({ words }) => AMOUNT.test(words)),
  ];
  const [count, price, amount] = [counts[0], prices[0], amounts[0]];
  if (count === undefined || price === undefined || amount === undefined) return [];
  if (count === price || price === amount || count === amount) return [];
  const rebate = fields.filter(({ words }) => LESS.test(words)).slice(0, 1);
  const less = rebate[0]?.value ?? 0;
  const isOnly = counts.length === 1 && prices.length === 1 && amounts.length === 1;
  const sure = isOnly && !pricesMore(fields, [count, price, amount, ...rebate]);
  const says = `${written(count.value)} × ${written(price.value)}${less === 0 ? '' : ` less ${written(less)} percent`}`;
  return at(amount, count.value * price.value * (1 - less / 100), says, sure);
}

/** `price_per_person` times the guests, or `fee_per_night` times the nights, where nothing is added or taken off. */
function perHead(fields: readonly Field[], at: Report): RecordSum[] {
  const prices = fields.filter(({ words }) => /\bper \w+$/.test(words) && PRICE.test(words));
  const totals = fields.filter(({ words }) => AMOUNT.test(words) && !prices.some((price) => price.words === words));
  const [price, total] = [prices[0], totals[0]];
  if (price === undefined || total === undefined || prices.length + totals.length > 2) return [];
  const unit = /\bper (\w+)$/.exec(price.words)?.[1] ?? '';
  const counts = fields.filter(
    ({ words, value }) =>
      Number.isInteger(value) &&
      (PEOPLE.test(unit) ? PEOPLE.test(words) : new RegExp(`^${unit}s?\\b`).test(words)) &&
      words !== price.words,
  );
  const [count] = counts;
  if (count === undefined || counts.length > 1) return [];
  // A price per kWh may be in cents, and more than one thing may be priced.
  const plain = PEOPLE.test(unit) || unit === 'night';
  const sure = plain && !pricesMore(fields, [count, price, total]);
  return at(total, count.value * price.value, `${written(count.value)} × ${written(price.value)}`, sure);
}

const wordsIn = (words: string): Set<string> => new Set(words.split(' ').map((word) => word.replace(/s$/, '')));

/** The sum of a list's amounts: the list whose name stands in the total's own, or the only one before a subtotal. */
function listTotal(record: JsonObject, field: Field, at: Report): RecordSum[] {
  if (!TOTAL.test(field.words)) return [];
  const lists = Object.entries(record).filter(
    (entry): entry is [string, JsonObject[]] =>
      Array.isArray(entry[1]) &&
      entry[1].length > 1 &&
      entry[1].every((item) => typeof item === 'object' && item !== null && !Array.isArray(item)),
  );
  return lists.flatMap(([name, items]) => {
    const columns = [...new Set(items.flatMap((item) => fieldsOf(item).map(({ key }) => key)))].filter((key) =>
      items.every((item) => typeof item[key] === 'number'),
    );
    const amounts = columns.filter((key) => AMOUNT.test(wordsOfKey(key)));
    const same = columns.filter((key) => [...wordsIn(wordsOfKey(key))].some((word) => wordsIn(field.words).has(word)));
    const named = [...wordsIn(wordsOfKey(name))].some((word) => wordsIn(field.words).has(word));
    const sure =
      (amounts.length === 1 || same.length === 1) &&
      (named ||
        (lists.length === 1 && field.words === 'total') ||
        (field.words === 'subtotal' && lists[0]?.[0] === name));
    // `total_eur` adds up `eur`, also beside an `amount` in other currencies.
    const [column] = same.length === 1 ? same : amounts.length === 1 ? amounts : [];
    if (column === undefined) return [];
    const values = items.map((item) => Number(item[column]));
    const surcharges = fieldsOf(record).some(({ words }) => SURCHARGE.test(words) || DISCOUNT.test(words));
    return at(
      field,
      values.reduce((sum, value) => sum + value, 0),
      values.map(written).join(' + '),
      sure && !(surcharges && field.words !== 'subtotal'),
    );
  });
}

/** Subtotal, plus surcharges, less discounts; what is gross is net plus tax. */
function surcharged(fields: readonly Field[], field: Field, at: Report): RecordSum[] {
  if (!/\b(?:total|gross)\b/.test(field.words) || /\bsubtotal\b/.test(field.words)) return [];
  if (MEASURE.test(field.words)) return [];
  const isGross = !/\btotal\b/.test(field.words);
  const base = fields.find(({ words }) => /\b(?:subtotal|net)\b/.test(words) && !MEASURE.test(words));
  const more = fields.filter(({ words }) => (isGross ? TAX : SURCHARGE).test(words) && !PERCENT.test(words));
  const less = fields.filter(({ words }) => !isGross && DISCOUNT.test(words) && !PERCENT.test(words));
  if (base === undefined || base === field || more.length + less.length === 0) return [];
  const value =
    base.value +
    more.reduce((sum, one) => sum + one.value, 0) -
    less.reduce((sum, one) => sum + Math.abs(one.value), 0);
  const says = [
    written(base.value),
    ...more.map((one) => `+ ${written(one.value)}`),
    ...less.map((one) => `− ${written(Math.abs(one.value))}`),
  ].join(' ');
  return at(field, value, says, isMoney(field, base, ...more, ...less));
}

/** What lies between two totals, or what is left of one after what was paid. */
function rest(fields: readonly Field[], field: Field, at: Report): RecordSum[] {
  if (!REST.test(field.words)) return [];
  const paid = fields.filter(({ words }) => PAID.test(words) && words !== field.words);
  const whole = fields.filter(({ words }) => /^(?:grand )?(?:total|gross|sum)\b/.test(words) && !PAID.test(words));
  const [part, sum] = [paid[0], whole[0]];
  if (part !== undefined && sum !== undefined && paid.length + whole.length === 2)
    return at(
      field,
      sum.value - part.value,
      `${written(sum.value)} − ${written(part.value)}`,
      isMoney(field, sum, part) && !/\bnet\b/.test(field.words),
    );
  const totals = fields.filter(({ words }) => /\btotal\b/.test(words) && words !== field.words);
  const [one, other] = totals;
  if (one === undefined || other === undefined || totals.length !== 2) return [];
  const [more, less] = one.value >= other.value ? [one, other] : [other, one];
  const value = field.value < 0 ? less.value - more.value : more.value - less.value;
  return at(
    field,
    value,
    field.value < 0
      ? `${written(less.value)} − ${written(more.value)}`
      : `${written(more.value)} − ${written(less.value)}`,
    isMoney(field, one, other),
  );
}

/** `contingency` beside `contingency_percent`: the percentage of a total in the same record. */
function shareOf(fields: readonly Field[], field: Field, at: Report): RecordSum[] {
  const rate = fields.find(({ words }) => PERCENT.test(words) && words.replace(PERCENT, '').trim() === field.words);
  if (rate === undefined) return [];
  return fields
    .filter((base) => base !== field && base !== rate && /\b(?:total|subtotal|net|amount|base)\b/.test(base.words))
    .flatMap((base) =>
      at(field, (base.value * rate.value) / 100, `${written(rate.value)} percent of ${written(base.value)}`, false),
    );
}

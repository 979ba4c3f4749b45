import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { sumsIn } from './totals-in-records.ts';

const sums = (work: JsonValue) =>
  sumsIn(work).map(({ path, holds, says }) => `${path} ${holds ? 'holds' : 'fails'}: ${says}`);

describe('totals in structured work', () => {
  it.each<[string, JsonValue, string[]]>([
    ['a line amount', { quantity: 3, unit_price: 4.5, amount: 13.5 }, ['/amount holds: 3 × 4.5 = 13.5']],
    [
      'a line amount less a discount',
      { qty: 12, unit_price: 38.5, discount_percent: 10, line_total: 415.8 },
      ['/line_total holds: 12 × 38.5 less 10 percent = 415.8'],
    ],
    [
      'what is payable after a credit note, which no other two figures accuse',
      {
        gross_total: 629.13,
        net_total: 511.49,
        vat_amount: 117.64,
        credit_note: { total: 30.75 },
        amount_payable: 598.38,
      },
      ['/gross_total holds: 511.49 + 117.64 = 629.13'],
    ],
    ['a wrong line amount', { quantity: 3, unit_price: 4.5, amount: 15.5 }, ['/amount fails: 3 × 4.5 = 13.5']],
    ['a total of a list', { lines: [{ amount: 10 }, { amount: 15 }], total: 25 }, ['/total holds: 10 + 15 = 25']],
    ['a wrong total of a list', { lines: [{ amount: 10 }, { amount: 15 }], total: 52 }, ['/total fails: 10 + 15 = 25']],
    [
      'a total beside a discount',
      { subtotal: 100, discount: 10, shipping: 5, total: 95 },
      ['/total holds: 100 + 5 − 10 = 95'],
    ],
    [
      'a wrong total beside a discount',
      { subtotal: 100, discount: 10, shipping: 5, total: 105 },
      ['/total fails: 100 + 5 − 10 = 95'],
    ],
    ['what is gross', { net: 840, vat: 159.6, gross: 999.6, shipping: 119 }, ['/gross holds: 840 + 159.6 = 999.6']],
    ['a wrong gross', { net: 840, vat: 159.6, gross: 996.6 }, ['/gross fails: 840 + 159.6 = 999.6']],
    ['no gross weight', { net_weight_kg: 86000, gross_weight_kg: 88400, freight_usd: 6400 }, []],
    [
      'no credit note of another invoice',
      { net: 840, vat: 160, total: 1000, credit_amount: 119 },
      ['/total holds: 840 + 160 = 1,000'],
    ],
    [
      'what lies between two totals',
      { budget_total: 900, spent_total: 650, unspent: 250 },
      ['/unspent holds: 900 − 650 = 250'],
    ],
    ['a wrong rest', { budget_total: 900, spent_total: 650, unspent: 350 }, ['/unspent fails: 900 − 650 = 250']],
    [
      'a percentage',
      { subtotal: 800, contingency_percent: 5, contingency: 40 },
      ['/contingency holds: 5 percent of 800 = 40'],
    ],
    ['a key with a slash', { 'a/b': { quantity: 2, price: 3, amount: 6 } }, ['/a~1b/amount holds: 2 × 3 = 6']],
    [
      'a price per head, and the rest after a deposit',
      { guests: 38, vegetarians: 4, price_per_person: 49, total: 1862, deposit_paid: 500, balance_due: 1362 },
      ['/total holds: 38 × 49 = 1,862', '/balance_due holds: 1,862 − 500 = 1,362'],
    ],
    [
      'a wrong total of nights, and a wrong rest',
      { nights: 3, rate_per_night: 90, total: 280, deposit: 50, due: 220 },
      ['/total fails: 3 × 90 = 270', '/due fails: 280 − 50 = 230'],
    ],
    [
      'cents that binary fractions miss',
      { quantity: 3, unit_price: 0.1, amount: 0.3 },
      ['/amount holds: 3 × 0.1 = 0.3'],
    ],
  ])('finds %s', (_, work, expected) => {
    expect(sums(work)).toEqual(expected);
  });

  it.each<[string, JsonValue]>([
    ['figures that no name relates', { width: 3, height: 4, depth: 12 }],
    ['a total over a list without amounts', { items: [{ name: 'a' }, { name: 'b' }], total: 7 }],
    [
      'a total over one of two lists',
      { paid: [{ amount: 1 }, { amount: 2 }], open: [{ amount: 4 }, { amount: 5 }], total: 99 },
    ],
    ['a percentage of something else', { subtotal: 800, contingency_percent: 5, contingency: 60 }],
    ['text in place of figures', { quantity: '3', unit_price: '4', amount: '13' }],
    ['two prices of which one is meant', { quantity: 3, list_price: 4, net_price: 3, amount: 9 }],
    ['a price per head beside a fee', { guests: 3, price_per_person: 10, service_fee: 5, total: 35 }],
    ['two who are counted', { adults: 2, students: 3, price_per_person: 10, total: 20 }],
    ['two payments', { total: 100, deposit: 20, paid_on_site: 30, due: 50 }],
    ['a discount for early payment', { qty: 2, unit_price: 5, early_discount_percent: 2, total: 9.8 }],
    ['nights beside breakfast', { nights: 4, rate_per_night: 129, breakfast_per_day: 16, total: 594 }],
    ['days beside travel', { days: 12, day_rate_eur: 780, fees_eur: 9360, travel_eur: 640, total_eur: 10000 }],
    ['balances of an account', { opening_balance: 2410, closing_balance: 1988, total_in: 2950, total_out: 3372 }],
    ['a net amount beside a deposit', { net: 840, gross: 999.6, deposit: 200 }],
    ['days that are left', { total: 500, deposit: 100, days_left: 12 }],
    ['the number of instalments', { total: 500, installments: 3, balance: 400 }],
    ['the days of a delivery', { subtotal: 100, delivery_days: 3, total: 105, shipping: 5 }],
    ['a fee that may never fall due', { subtotal: 100, change_fee: 30, total: 105, shipping: 5 }],
    ['hours beside amounts', { net: 840, vat: 159.6, total_hours: 12 }],
    ['a total of costs with a reserve', { costs: [{ amount: 10 }, { amount: 20 }], contingency: 3, total_costs: 33 }],
    ['nothing at all', null],
  ])('accuses nothing of %s', (_, work) => {
    expect(sumsIn(work).filter(({ holds }) => !holds)).toEqual([]);
  });
});

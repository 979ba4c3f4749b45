import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

const table = [
  'invoice_no,supplier,gross,status',
  'INV-301,Norda,1440.00,paid',
  'INV-302,Kestrel,1020.00,open',
  'INV-303,Norda,480.00,open',
].join('\n');
const open = {
  open_invoices: [
    { invoice: 'INV-302', gross: 1020 },
    { invoice: 'INV-303', gross: 480 },
  ],
};

async function finding(work_product: { [key: string]: JsonValue } | string, criterion: string): Promise<string> {
  const request = { work_product, evidence: [{ source: 'Ledger', text: table }], criteria: [criterion] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-06-15T12:00:00Z') });
  const { status, reason } = report.findings[0] ?? {};
  return `${status}: ${reason}`;
}

describe('the shape of structured work', () => {
  const odd = { orderLines: [{ id: 1 }, { id: 1 }], note: ' ', paid_on: null };
  it.each<[string, { [key: string]: JsonValue }, RegExp]>([
    ['No duplicates', open, /^met: No two of the 2 elements/],
    ['No duplicate entries', odd, /^contradicted: orderLines\[1\] repeats \[0\]/],
    ['No null values', open, /^met: None of the 4 fields/],
    ['No nulls', odd, /^contradicted: paid_on is null/],
    ['No empty fields', odd, /^contradicted: note is empty/],
    ['Keys in snake_case', open, /^met: Each of the 3 keys/],
    ['Keys in snake_case', odd, /^contradicted: orderLines is not in snake_case/],
    ['Exactly two invoices', open, /^met: “open_invoices” lists 2/],
    ['Exactly 3 invoices', open, /^contradicted: “open_invoices” lists 2; exactly 3 are asked for/],
  ])('%s', async (criterion, work, expected) => {
    expect(await finding(work, criterion)).toMatch(expected);
  });
});

describe('rows that a value of a table picks', () => {
  const more = { open_invoices: [...open.open_invoices, { invoice: 'INV-301', gross: 1440 }] };
  const fewer = { open_invoices: [{ invoice: 'INV-302', gross: 1020 }] };
  it.each<[string, { [key: string]: JsonValue } | string, RegExp]>([
    ['All open invoices are included', open, /^met: Ledger has 2 rows with “open” under “status”; the work names each/],
    ['All open invoices are included', fewer, /^missing: .*1 of them, but not “INV-303”/],
    ['Only open invoices', open, /^met: .* names 2, each with “open”/],
    ['Only open invoices', more, /^contradicted: The work names “INV-301”, for which Ledger gives no “open”/],
    ['No paid invoices', more, /^contradicted: The work names “INV-301”, for which Ledger gives “paid”/],
    ['No paid invoices', open, /^met: .*none with “paid”/],
    ['Only open invoices', 'INV-302 and INV-303 are open; INV-301 is paid.', /^partly_met: .*a person should say/],
  ])('%s', async (criterion, work, expected) => {
    expect(await finding(work, criterion)).toMatch(expected);
  });
});

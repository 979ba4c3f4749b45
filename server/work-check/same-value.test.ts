import { describe, expect, it } from 'vitest';
import { checkAsRead as checkWork } from './as-read-trial.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import type { CheckRequest } from './contract.ts';

/** The statements of a work as a report tells them: their paths, and what is said of each. */
async function told(work_product: CheckRequest['work_product'], text: string): Promise<[string | undefined, string][]> {
  const { statements } = await checkWork(
    {
      request: 'Extract the items.',
      work_kind: 'data_extraction',
      criteria: ['all values right'],
      work_product,
      evidence: [{ source: 'List', text }],
    },
    { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') },
  );
  return statements.map(({ path, status }) => [path, status]);
}

const statusOf = (statements: [string | undefined, string][], path: string) =>
  statements.find(([at]) => at === path)?.[1];

/** Two records, of which the first has a value, and a table with a cell for it. */
async function statusIn(name: string, value: string | number | boolean | null, column: string, cell: string) {
  const record = { id: 'A-1', [name]: value };
  const statements = await told(
    [record, { id: 'A-2' }],
    `| id | ${column} |\n|---|---|\n| A-1 | ${cell} |\n| A-2 | zz |`,
  );
  return statusOf(statements, `/0/${name}`);
}

it('is proven by no line that may be another record’s', async () => {
  const rules = 'safety: heat or harm. Owner: Vigilance.\nrepair: every fault. Owner: Workshop.';
  const statements = await told(
    [
      { ticket: 'T-501', kind: 'repair', owner: 'Workshop' },
      { ticket: 'T-502', kind: 'safety', owner: 'Workshop' },
    ],
    `${rules}\n| ticket | said |\n|---|---|\n| T-501 | it is dead |\n| T-502 | it gets hot |`,
  );
  for (const path of ['/0/owner', '/1/owner']) expect(statusOf(statements, path)).not.toBe('supported');
});

describe('a field against the cell of its record', () => {
  it.each([
    ['fragile', false, 'fragile', 'no'],
    ['due', '2026-04-02', 'due', '2 Apr'],
    ['due', '2026-04-02', 'due', '02/04/2026'],
    ['at', '2026-04-02T08:30:00Z', 'at', '2026-04-02 08:30'],
    ['betrag', 20_000, 'Betrag', '20.000 €'],
    ['share', 0.42, 'share', '42%'],
    ['name', 'Maria Lopez', 'name', 'Lopez, Maria'],
    ['weight_kg', 1.5, 'Weight (g)', '1500'],
    ['width_cm', 36.5, 'Size (H x W)', '482 x 365 mm'],
    ['height_cm', 48.2, 'Size (H x W)', '482 x 365 mm'],
  ])('%s: %j is borne out by %s: %s', async (name, value, column, cell) => {
    expect(await statusIn(name, value, column, cell)).toBe('supported');
  });

  it.each([
    ['note', null, 'note', '-'],
    ['status', 'open', 'status', 'pending'],
    ['country', 'DE', 'country', 'Germany'],
  ])('%s: %j is not accused because of %s: %s', async (name, value, column, cell) => {
    expect(await statusIn(name, value, column, cell)).not.toBe('contradicted');
  });

  it.each([
    ['fragile', true, 'fragile', 'no'],
    ['due', '2026-04-03', 'due', '2 Apr'],
    ['at', '2026-04-02T09:30:00Z', 'at', '2026-04-02 08:30'],
    ['share', 0.43, 'share', '42%'],
    ['status', 'zz', 'status', 'pending'],
    ['unit', 'pg/mL', 'unit', 'pmol/L'],
    ['weight_kg', 1500, 'Weight (g)', '1500'],
    ['height_cm', 482, 'Size (H x W)', '482 x 365 mm'],
  ])('%s: %j is contradicted by %s: %s', async (name, value, column, cell) => {
    expect(await statusIn(name, value, column, cell)).toBe('contradicted');
  });

  it('is found in rows that semicolons divide', async () => {
    const statements = await told(
      [
        { id: 'A-1', amount: 1234.5 },
        { id: 'A-2', amount: 21 },
      ],
      'id;amount;paid\nA-1;1.234,50;yes\nA-2;20,00;no',
    );
    expect([statusOf(statements, '/0/amount'), statusOf(statements, '/1/amount')]).toEqual([
      'supported',
      'contradicted',
    ]);
  });

  it('is compared in a table of the work, too', async () => {
    const statements = await told(
      '| Item | Weight (kg) | In stock |\n|---|---|---|\n| Bolt | 1.5 | yes |\n| Nut | 0.25 | no |',
      'Item;Weight (g);In stock\nBolt;1500;true\nNut;250;false',
    );
    expect(statements.map(([, status]) => status)).not.toContain('contradicted');
  });
});

const log = `2026-01-12T10:02:11Z ERROR req=7f1 status=502 took=30012ms timeout
2026-01-12T10:02:15Z INFO req=7f2 status=200 took=120ms
2026-01-12T10:03:40Z ERROR req=7f9 status=502 took=30009ms timeout
2026-01-12T10:09:30Z ERROR req=80c status=500 took=85ms null`;

describe('a field of a record that has a line of its own', () => {
  it.each([
    ['status', 502, 'supported'],
    ['status', 500, 'contradicted'],
    ['took_s', 30.012, 'supported'],
    ['took_s', 30_012, 'contradicted'],
  ])('%s: %d is %s', async (name, value, status) => {
    const others = [
      { req: '7f9', status: 502 },
      { req: '80c', status: 500 },
    ];
    expect(statusOf(await told([{ req: '7f1', [name]: value }, ...others], log), `/0/${name}`)).toBe(status);
  });

  it('is not borne out by what another record says', async () => {
    const orders = [
      { orderId: 'O-1', total: { amount: '12.50' }, createdAt: '2026-01-02' },
      { orderId: 'O-2', total: { amount: '7.00' }, createdAt: '2026-01-03' },
    ];
    const statements = await told(
      [
        { order_id: 'O-1', total_eur: 7, created: '2026-01-02' },
        { order_id: 'O-2', total_eur: 7, created: '2026-01-03' },
      ],
      JSON.stringify({ orders }, null, 1),
    );
    expect(statements.map(([, status]) => status)).toEqual([
      'supported',
      'not_found',
      'supported',
      'supported',
      'supported',
      'supported',
    ]);
  });
});

describe('a rate that a sentence tells with its figures', () => {
  it.each([
    ['North grew by 25% from 1,200 to 1,500, while South shrank 5 percent, to 760.', false],
    ['North grew by 20% from 1,200 to 1,500, while South shrank 5 percent, to 760.', true],
  ])('%s', async (sentence, isWrong) => {
    const statements = await told(sentence, 'North: 1,200 in Q1, 1,500 in Q2.\nSouth: 800 in Q1, 760 in Q2.');
    expect(statements.some(([, status]) => status === 'contradicted')).toBe(isWrong);
  });
});

it('an hour with its distance from UTC is not compared with one that has none', async () => {
  for (const value of ['2026-11-02T08:00+01:00', '2026-11-02T07:00+01:00'])
    expect(['not_found', 'undecided']).toContain(
      await statusIn('reported', value, 'Reported (UTC)', '2026-11-02 07:00'),
    );
  expect(await statusIn('reported', '2026-11-02T07:00Z', 'Reported (UTC)', '2026-11-02 07:00')).toBe('supported');
});

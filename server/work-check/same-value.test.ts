import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
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
async function valueOf(name: string, value: string | number | boolean | null, column: string, cell: string) {
  const record = { id: 'A-1', [name]: value };
  const statements = await told(
    [record, { id: 'A-2' }],
    `| id | ${column} |\n|---|---|\n| A-1 | ${cell} |\n| A-2 | zz |`,
  );
  return statusOf(statements, `/0/${name}`);
}

describe('a field against the cell of its record', () => {
  it.each([
    ['fragile', false, 'fragile', 'no'],
    ['framed', true, 'Frame', 'yes (560 x 440 mm)'],
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
    expect(await valueOf(name, value, column, cell)).toBe('supported');
  });

  it.each([
    ['note', null, 'note', '-'],
    ['status', 'open', 'status', 'pending'],
    ['country', 'DE', 'country', 'Germany'],
  ])('%s: %j is not accused because of %s: %s', async (name, value, column, cell) => {
    expect(await valueOf(name, value, column, cell)).not.toBe('contradicted');
  });

  it.each([
    ['fragile', true, 'fragile', 'no'],
    ['framed', false, 'Frame', 'yes (560 x 440 mm)'],
    ['due', '2026-04-03', 'due', '2 Apr'],
    ['at', '2026-04-02T09:30:00Z', 'at', '2026-04-02 08:30'],
    ['share', 0.43, 'share', '42%'],
    ['status', 'zz', 'status', 'pending'],
    ['unit', 'pg/mL', 'unit', 'pmol/L'],
    ['weight_kg', 1500, 'Weight (g)', '1500'],
    ['height_cm', 482, 'Size (H x W)', '482 x 365 mm'],
  ])('%s: %j is contradicted by %s: %s', async (name, value, column, cell) => {
    expect(await valueOf(name, value, column, cell)).toBe('contradicted');
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

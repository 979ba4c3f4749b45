import { describe, expect, it } from 'vitest';
import { readJsonRows, withRecords } from './json-rows.ts';

const rows = [
  { crop: 'Corn "sweet"', kg: 900, note: null },
  { crop: 'Leek', kg: -4.5, note: 'to {sort}' },
];

const cellsIn = (text: string) =>
  readJsonRows(text, 0).tables.map(({ header, rows: found }) =>
    [header, ...found].map((row) => row.map((one) => one.text)),
  );

describe('JSON in a text', () => {
  it.each([
    ['alone', JSON.stringify(rows)],
    ['printed over many lines, within another object', JSON.stringify({ status: 'ok', data: { rows } }, null, 2)],
    ['as one record a line', rows.map((row) => JSON.stringify(row)).join('\n')],
    ['behind words', `Result of the tool:\n${JSON.stringify(rows)}\nDone, {no: object}.`],
  ])('%s is a table of its like records', (_, text) => {
    expect(cellsIn(text)).toEqual([
      [
        ['crop', 'kg', 'note'],
        ['Corn "sweet"', '900', ''],
        ['Leek', '-4.5', 'to {sort}'],
      ],
    ]);
  });

  it('keeps the place of each cell', () => {
    const text = JSON.stringify(rows);
    for (const row of readJsonRows(text, 0).tables.flatMap((table) => table.rows))
      for (const { text: cell, start, end } of row)
        expect(['', cell, cell.replaceAll('"', '\\"')]).toContain(text.slice(start, end).replace('null', ''));
  });

  it('of unlike records is no table, and a text between two lists parts them', () => {
    expect(cellsIn('[{"a":1,"b":2},{"a":1,"c":2}]')).toEqual([]);
    const list = '[{"a":1,"b":2},{"a":3,"b":4}]';
    expect(cellsIn(`{"may":${list},"june":${list}}`)).toHaveLength(2);
  });

  it('is read record by record, and the rest in its sentences', () => {
    const text = 'Two rows. [{"a":1,"b":2},{"a":3,"b":4}] Done.';
    const spans = withRecords(
      [
        { start: 0, end: 9 },
        { start: 10, end: text.length },
      ],
      readJsonRows(text, 0).records,
    );
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual([
      'Two rows.',
      '[',
      '{"a":1,"b":2}',
      ',',
      '{"a":3,"b":4}',
      '] Done.',
    ]);
  });

  it('that never closes is read in a moment', () => {
    const text = '{"a":1,'.repeat(20_000) + '{"b":"'.repeat(20_000);
    expect(readJsonRows(text, 0)).toEqual({ records: [], tables: [] });
  });
});

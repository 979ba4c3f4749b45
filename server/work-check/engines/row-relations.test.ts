import { expect, it } from 'vitest';
import { readWork } from '../statements.ts';
import { rowRelation } from './row-relations.ts';

/** What the rows of a table say of the last cell of its last row. */
function lastCell(table: string): { holds: boolean; says: string } | undefined {
  const { statements } = readWork(table);
  const last = statements.at(-1);
  if (last === undefined) throw new Error('no cell');
  return rowRelation(last, statements);
}

const head = '| Crop | Harvested | Sorted out | Marketable |\n|---|---|---|---|\n';
const rows = '| Peas | 1,102 | 40 | 1,062 |\n| Beans | 1,776 | 97 | 1,679 |\n| Corn | 900 | 45 | 855 |\n';

it('two other figures of a row give what they give in every row', () => {
  expect(lastCell(`${head}${rows}| Kale | 500 | 20 | 480 |`)).toEqual({ holds: true, says: '500 − 20 = 480' });
});

it('one row in which it does not come out is wrong beside three that do', () => {
  expect(lastCell(`${head}${rows}| Kale | 500 | 20 | 490 |`)).toEqual({ holds: false, says: '500 − 20 = 480' });
});

it('two rows that come out accuse no third, and rows of which one differs show nothing', () => {
  const two = rows.split('\n').slice(0, 2).join('\n');
  expect(lastCell(`${head}${two}\n| Kale | 500 | 20 | 490 |`)).toBeUndefined();
  expect(lastCell(`${head}${rows.replace('855', '850')}| Kale | 500 | 20 | 480 |`)).toBeUndefined();
});

it('columns of zeros or ones give nothing', () => {
  const idle =
    '| Item | Units | Times | Sum |\n|---|---|---|---|\n| A | 3 | 1 | 3 |\n| B | 5 | 1 | 5 |\n| C | 7 | 1 | 7 |';
  expect(lastCell(idle)).toBeUndefined();
});

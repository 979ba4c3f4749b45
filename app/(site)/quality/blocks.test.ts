import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { blocksOf, stretchesOf } from './blocks.ts';

it('reads headings, paragraphs, lists and tables, in order', () => {
  const text = '# A\n\nOne\ntwo.\n\n3. x\n   y\n4. z\n\n- a\n- b\n\n| h | i |\n| --- | --- |\n| 1 | `2` |\n';
  expect(blocksOf(text)).toEqual([
    { is: 'heading', level: 1, text: 'A' },
    { is: 'paragraph', text: 'One two.' },
    { is: 'list', ordered: true, from: 3, items: ['x    y', 'z'] },
    { is: 'list', ordered: false, from: 1, items: ['a', 'b'] },
    { is: 'table', head: ['h', 'i'], rows: [['1', '`2`']] },
  ]);
});

it('tells verbatim and strong text from plain text', () => {
  expect(stretchesOf('**All** of `a*b` is 2 * 3')).toEqual([
    { is: 'strong', text: 'All' },
    { is: 'plain', text: ' of ' },
    { is: 'code', text: 'a*b' },
    { is: 'plain', text: ' is 2 * 3' },
  ]);
});

it('reads the whole model card: each row has as many cells as its head, and no mark is left over', () => {
  const card = readFileSync(new URL('../../../docs/model-card.md', import.meta.url), 'utf8');
  const blocks = blocksOf(card);
  const tables = blocks.flatMap((block) => (block.is === 'table' ? [block] : []));
  expect(tables.length).toBeGreaterThan(3);
  for (const { head, rows } of tables) for (const row of rows) expect([row, row.length]).toEqual([row, head.length]);
  const texts = blocks.flatMap((block) =>
    'items' in block ? block.items : 'rows' in block ? block.rows.flat() : block.text,
  );
  const plain = texts.flatMap(stretchesOf).filter(({ is }) => is === 'plain');
  expect(plain.filter(({ text }) => /\*\*|`|^\s*\||^#|\]\(/.test(text))).toEqual([]);
});

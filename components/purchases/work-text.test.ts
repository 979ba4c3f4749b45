import { describe, expect, it } from 'vitest';
import type { ReportedStatement } from '@/server/work-check/contract.ts';
import { type Block, blocksOf, statementsWithoutPlace } from './work-text.ts';

type Placed = Pick<ReportedStatement, 'path' | 'start' | 'end' | 'kind'>;

function at(text: string, passage: string, kind: Placed['kind'] = 'sentence'): Placed {
  const bytes = new TextEncoder();
  const start = bytes.encode(text.slice(0, text.indexOf(passage))).length;
  return { kind, start, end: start + bytes.encode(passage).length };
}

/** Marks written as `[1:text]`, one string per block. */
const shown = (blocks: readonly Block[]): string[] =>
  blocks.map(({ pieces }) =>
    pieces.map(({ text, statement }) => (statement === undefined ? text : `[${statement}:${text}]`)).join(''),
  );

const words = (blocks: readonly Block[]): string =>
  blocks.flatMap(({ pieces }) => pieces.map(({ text }) => text)).join('\n');

describe('a work of text', () => {
  it('is marked by bytes, not by characters', () => {
    const text = 'Café “Zoë” 😀 opens. It pays 90 €. Thanks!';
    const blocks = blocksOf(text, [at(text, 'It pays 90 €.'), at(text, 'Café “Zoë” 😀 opens.')]);
    expect(shown(blocks)).toEqual(['[2:Café “Zoë” 😀 opens.] [1:It pays 90 €.] Thanks!']);
    expect(blocks.map(({ statements }) => statements)).toEqual([[2, 1]]);
  });

  it('is cut behind each line in which a statement ends, headings stay with what follows', () => {
    const text = '# Plan\n\nOne is so. Two is so.\n\n- Three is\n  so.\n- Four is so.\n\nBye';
    const blocks = blocksOf(text, [
      at(text, 'One is so.'),
      at(text, 'Two is so.'),
      at(text, 'Three is\n  so.', 'item'),
      at(text, 'Four is so.', 'item'),
    ]);
    expect(shown(blocks)).toEqual([
      '# Plan\n\n[1:One is so.] [2:Two is so.]',
      '- [3:Three is\n  so.]',
      '- [4:Four is so.]',
      'Bye',
    ]);
  });

  it('keeps a statement whole that begins in a line where another ends', () => {
    const text = 'One is so. Two is\nso. Three\nis\nso.';
    const blocks = blocksOf(text, [at(text, 'One is so.'), at(text, 'Two is\nso.'), at(text, 'Three\nis\nso.')]);
    expect(shown(blocks)).toEqual(['[1:One is so.] [2:Two is\nso.] [3:Three\nis\nso.]']);
  });

  it('is cut within a long line too, so that no statement is far from what is said of it', () => {
    const sentences = Array.from({ length: 14 }, (_, index) => `Number ${index + 1} is so.`);
    const text = sentences.join(' ');
    const blocks = blocksOf(
      text,
      sentences.map((sentence) => at(text, sentence)),
    );
    expect(blocks.map(({ statements }) => statements.length)).toEqual([5, 5, 4]);
    expect(shown(blocks)[1]).toMatch(/^\[6:Number 6 is so\.\] .* \[10:Number 10 is so\.\]$/);
    expect(blocks.map(({ pieces }) => pieces.map((piece) => piece.text).join('')).join(' ')).toBe(text);
  });

  it('keeps a table in one block with its head', () => {
    const text = 'Sales rose.\n\n| Region | Units |\n| --- | --- |\n| North | 12 |\n| South | 34 |\n\nAll is well.';
    const blocks = blocksOf(text, [
      at(text, 'Sales rose.'),
      at(text, '12', 'cell'),
      at(text, '34', 'cell'),
      at(text, 'All is well.'),
    ]);
    expect(blocks.map(({ isTable, statements }) => [isTable, statements])).toEqual([
      [false, [1]],
      [true, [2, 3]],
      [false, [4]],
    ]);
    expect(shown(blocks)[1]).toBe('| Region | Units |\n| --- | --- |\n| North | [2:12] |\n| South | [3:34] |');
  });

  it('loses no word, whatever the report says of its places', () => {
    const text = 'Naïve words,\r\nwith some more.\n\n\n  And an end.';
    const places: Placed[] = [
      { kind: 'sentence', start: 0, end: 3 },
      { kind: 'sentence', start: 2, end: 9_999 },
      { kind: 'sentence', start: 8, end: 8 },
      { kind: 'sentence', start: 1, end: 10 },
      { kind: 'sentence', start: 4, end: 12 },
      { kind: 'leaf', path: '/a' },
    ];
    const blocks = blocksOf(text, places);
    expect(words(blocks).split(/\s+/).join('')).toBe(text.split(/\s+/).join(''));
    expect(statementsWithoutPlace(places.length, blocks)).toEqual([1, 2, 3, 5, 6]);
  });

  it('is shown without statements too', () => {
    expect(shown(blocksOf('Just words.\n\nAnd more.\n', []))).toEqual(['Just words.\n\nAnd more.']);
    expect(blocksOf('', [])).toEqual([]);
  });

  it('that is no longer kept has no blocks, and every statement is without a place', () => {
    const blocks = blocksOf(null, [{ kind: 'sentence', start: 0, end: 4 }]);
    expect([blocks, statementsWithoutPlace(1, blocks)]).toEqual([[], [1]]);
  });
});

describe('a structured work', () => {
  const leaf = (path: string): Placed => ({ kind: 'leaf', path });

  it('is marked by JSON Pointers, whatever its keys hold', () => {
    const blocks = blocksOf({ 'a/b~c': [{ unit: 4.5 }, 'x'], ok: true, none: [] }, [
      leaf('/ok'),
      leaf('/a~1b~0c/0/unit'),
      leaf('/a~1b~0c/1'),
    ]);
    expect(shown(blocks)).toEqual([
      '{\n  "a/b~c": [\n    {\n      "unit": [2:4.5]',
      '    },\n    [3:"x"]',
      '  ],\n  "ok": [1:true],',
      '  "none": []\n}',
    ]);
  });

  it('reads as the JSON it is', () => {
    const value = { list: [1, [], {}, { deep: [null, 'a "quoted" ü'] }], '': 'empty key' };
    const blocks = blocksOf(value, [leaf('/list/0'), leaf('/list/3/deep/1'), leaf('/')]);
    expect(JSON.parse(words(blocks))).toEqual(value);
    expect(statementsWithoutPlace(3, blocks)).toEqual([]);
  });

  it('names the statements whose place it does not have', () => {
    const blocks = blocksOf(['a'], [leaf('/1'), leaf('/0'), { kind: 'sentence', start: 0, end: 1 }]);
    expect(statementsWithoutPlace(3, blocks)).toEqual([1, 3]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Citation } from '@/server/work-check/contract.ts';
import { citedPassages, linesAround, passageNumbers } from './passages.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const at = (ref: string, start: number, end: number): Citation => ({ ref, digest, start, end });

function spanOf(text: string, passage: string): [number, number] {
  const bytes = new TextEncoder();
  const start = bytes.encode(text.slice(0, text.indexOf(passage))).length;
  return [start, start + bytes.encode(passage).length];
}

describe('citedPassages', () => {
  it('numbers passages in the order in which findings cite them, each once', () => {
    const findings = [
      { citations: [at('evidence/1', 0, 4)] },
      {},
      { citations: [at('evidence/0', 3, 9), at('evidence/1', 0, 4)] },
    ];
    expect(citedPassages(findings)).toMatchObject([
      { number: 1, ref: 'evidence/1', findings: [1, 3] },
      { number: 2, ref: 'evidence/0', findings: [3] },
    ]);
  });

  it('numbers what only statements cite behind that, and says which statements a passage decides', () => {
    const findings = [{ citations: [at('evidence/1', 0, 4)] }];
    const statements = [{ citations: [at('evidence/0', 0, 2)] }, {}, { citations: [at('evidence/1', 0, 4)] }];
    const passages = citedPassages(findings, statements);
    expect(passages).toMatchObject([
      { number: 1, ref: 'evidence/1', findings: [1], statements: [3] },
      { number: 2, ref: 'evidence/0', findings: [], statements: [1] },
    ]);
    expect(statements.map((statement) => passageNumbers(statement, passages))).toEqual([[2], [], [1]]);
  });

  it('counts a finding once that cites one passage twice', () => {
    const twice = { citations: [at('evidence/0', 0, 4), at('evidence/0', 0, 4)] };
    const passages = citedPassages([twice]);
    expect(passages.map((passage) => passage.findings)).toEqual([[1]]);
    expect(passageNumbers(twice, passages)).toEqual([1]);
  });

  it('keeps two passages of one source apart', () => {
    const passages = citedPassages([{ citations: [at('evidence/0', 0, 4), at('evidence/0', 4, 8)] }]);
    expect(passages.map((passage) => passage.number)).toEqual([1, 2]);
  });
});

describe('linesAround', () => {
  it('counts bytes, not characters', () => {
    const text = 'naïve 90 €, then 12 months';
    const lines = linesAround(text, ...spanOf(text, '12 months'));
    expect(lines).toEqual([{ number: 1, before: 'naïve 90 €, then ', cited: '12 months', after: '' }]);
  });

  it('shows two lines of context on either side, with their numbers', () => {
    const text = 'a\nb\nc\nthe passage here\nd\ne\nf';
    const lines = linesAround(text, ...spanOf(text, 'passage'));
    expect(lines?.map((line) => [line.number, `${line.before}${line.cited}${line.after}`])).toEqual([
      [2, 'b'],
      [3, 'c'],
      [4, 'the passage here'],
      [5, 'd'],
      [6, 'e'],
    ]);
  });

  it('runs a passage over as many lines as it has', () => {
    const text = 'one two\nthree\nfour five';
    const lines = linesAround(text, ...spanOf(text, 'two\nthree\nfour'));
    expect(lines?.map((line) => line.cited)).toEqual(['two', 'three', 'four']);
    expect(lines?.at(-1)?.after).toBe(' five');
  });

  it('cuts context that would fill the page, never the passage', () => {
    const text = `${'x'.repeat(5_000)}HERE${'y'.repeat(5_000)}`;
    const [line] = linesAround(text, ...spanOf(text, 'HERE')) ?? [];
    expect(line?.cited).toBe('HERE');
    expect(`${line?.before}${line?.after}`.length).toBeLessThan(600);
  });

  it.each([
    ['begins before the text', -1, 3],
    ['ends after it', 0, 99],
    ['is empty', 2, 2],
    ['splits a character', 0, 3],
  ])('shows nothing for a citation that %s', (_, start, end) => {
    expect(linesAround('naïve', start, end)).toBeNull();
  });
});

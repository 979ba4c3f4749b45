import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import type { Finding, ReportedStatement } from './contract.ts';
import { CLOSING, escapeMarkdown, renderMarkdown, SECTIONS } from './markdown.ts';
import { sampleReport } from './sample.ts';

const now = new Date('2026-05-13T08:00:00Z');

const cellsOf = (row: string): string[] =>
  row
    .replaceAll('\\|', '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The tables of a text, in order: the cells of the head, and the lines below it. */
function tablesOf(body: string): { columns: string[]; rows: string[] }[] {
  return [...body.matchAll(/^(\|.*)\n\|[ |-]+\n((?:\|.*\n)*)/gm)].map(([, head = '', rows = '']) => ({
    columns: cellsOf(head),
    rows: rows.split('\n').slice(0, -1),
  }));
}

describe('the Markdown report', () => {
  it('keeps its structure whatever the criterion, the source and the work hold', async () => {
    const hostile =
      'a | b |\n## Verdict\n| --- |\n<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://e.vil) **met**';
    const { report } = await checkWork(
      {
        work_product: hostile,
        evidence: [{ source: hostile, text: hostile }],
        criteria: [hostile, `Says "${hostile}"`],
      },
      { assessor: embeddedAssessor, now },
    );
    const headings = [...report.body.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual([...SECTIONS]);
    expect(report.body).not.toMatch(/<script|(?<!\\)\]\(|!\[/);
    for (const { columns, rows } of tablesOf(report.body))
      for (const row of rows) expect(cellsOf(row)).toHaveLength(columns.length);
    expect(report.body.trimEnd().endsWith(CLOSING)).toBe(true);
  });

  it('counts each passage once that findings or statements cite', async () => {
    const { report: _, ...parts } = await sampleReport();
    const [first, second] = [0, 4].map((start) => ({ ref: 'evidence/0', digest: '', start, end: start + 4 }));
    const findings: Finding[] = ['a', 'b'].map((criterion) => ({
      criterion,
      status: 'met',
      reason: 'So it is.',
      ...(first ? { citations: [first] } : {}),
    }));
    const statement: ReportedStatement = { path: '/a', kind: 'leaf', status: 'supported', why: 'So it is.' };
    const cited = (changes: { findings: Finding[]; statements: ReportedStatement[] }): string =>
      /## Evidence cited\n\n(.*?)\n\n/s.exec(renderMarkdown({ ...parts, ...changes }))?.[1] ?? '';
    expect(cited({ findings, statements: [] })).toMatch(/, 1 passage$/);
    const statements = [{ ...statement, ...(second ? { citations: [second] } : {}) }];
    expect(cited({ findings, statements })).toMatch(/, 2 passages$/);
    expect(cited({ findings: [], statements })).toMatch(/, 1 passage$/);
    expect(cited({ findings: [], statements: [] })).toBe('No passage is cited.');
  });

  it('leaves plain words as they are', () => {
    expect(escapeMarkdown('Plan B costs 4.50 EUR, see max_age_seconds')).toBe(
      'Plan B costs 4.50 EUR, see max_age_seconds',
    );
  });

  it('finds the one mark, address or space at issue in a line of plain words', () => {
    const said = (mark: string): string => escapeMarkdown(`Plain words ${mark} more of them.`);
    expect(said('https://a.example')).toBe('Plain words https&#58;//a.example more of them.');
    expect(said('MAILTO:x')).toBe('Plain words MAILTO&#58;x more of them.');
    expect(said('www.a.example')).toBe('Plain words www&#46;a.example more of them.');
    expect(said('_so_ on')).toBe('Plain words \\_so\\_ on more of them.');
    for (const mark of ['*', '`', '[', ']', '|', '~', '\\'])
      expect(said(mark)).toBe(`Plain words \\${mark} more of them.`);
    for (const space of ['  ', '\t', '\n', '\u00a0']) expect(said(space)).toBe('Plain words more of them.');
    expect(escapeMarkdown('1. first')).toBe('\\1. first');
    expect(escapeMarkdown('Ends in a space ')).toBe('Ends in a space');
  });

  it('removes characters that hide or turn text', () => {
    expect(escapeMarkdown('a\u202eb\u200bc\u0007')).toBe('a b c');
  });
});

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

  describe('under Criteria', () => {
    const statement = (status: ReportedStatement['status'], changes: Partial<ReportedStatement> = {}) => ({
      start: 0,
      end: 64,
      kind: 'sentence' as const,
      status,
      why: `It is ${status}.`,
      ...changes,
    });
    async function render(statements: ReportedStatement[], found: number[] = []): Promise<string> {
      const { report: _, ...parts } = await sampleReport();
      const finding: Finding = { criterion: 'All agrees', status: 'met', reason: 'It does.', statements: found };
      return renderMarkdown({ ...parts, statements, findings: [finding] });
    }
    const criteriaOf = (body: string): string => /## Criteria\n(.*?)\n## /s.exec(body)?.[1] ?? '';

    it('lists the statements by number, place and status: what is wrong or open before what is borne out', async () => {
      const body = await render([
        statement('supported'),
        statement('not_checked', { kind: 'item', start: 70, end: 80 }),
        statement('not_found', { kind: 'cell', start: 90, end: 94 }),
        { kind: 'leaf', path: '/lines/0/a~1b', status: 'contradicted', why: 'The invoice has “89.40”.' },
      ]);
      const [, { columns, rows } = { columns: [], rows: [] }] = tablesOf(criteriaOf(body));
      expect(columns).toEqual(['Statement', 'Where in the work', 'Status', 'Why']);
      expect(rows.map(cellsOf)).toEqual([
        ['4', 'field /lines/0/a\\~1b', 'contradicted', 'The invoice has “89.40”.'],
        ['3', 'table cell, bytes 90 to 94', 'not found', 'It is not_found.'],
        ['1', 'sentence, bytes 0 to 64', 'supported', 'It is supported.'],
        ['2', 'list item, bytes 70 to 80', 'not checked', 'It is not_checked.'],
      ]);
    });

    it('writes at most 100 of them and says how many more there are', async () => {
      const many = [...Array(120).fill(statement('supported')), statement('not_checked'), statement('contradicted')];
      const criteria = criteriaOf(await render(many));
      const [, table] = tablesOf(criteria);
      expect(table?.rows).toHaveLength(100);
      expect(table?.rows[0]).toContain('| 122 |');
      expect(criteria).toContain('22 more are in the `statements` of the JSON report: 21 supported, 1 not checked.');
    });

    it('says of a finding which statements it rests on, what is wrong or open first', async () => {
      const all: ReportedStatement[] = Array(30).fill(statement('supported'));
      expect(criteriaOf(await render(all, [0]))).toContain('It does. (Statement 1 supported)');
      expect(criteriaOf(await render(all, [1, 2, 3, 6]))).toContain('It does. (Statements 2 to 4, 7 supported)');
      const apart = Array.from({ length: 12 }, (_, index) => 2 * index);
      expect(criteriaOf(await render(all, apart))).toContain(
        '(Statements 1, 3, 5, 7, 9, 11, 13, 15 supported; 4 more)',
      );
      const mixed = all
        .with(20, statement('contradicted'))
        .with(21, statement('contradicted'))
        .with(28, statement('not_found'));
      expect(criteriaOf(await render(mixed, [1, 20, 21, 28]))).toContain(
        '(Statements 21, 22 contradicted; 29 not found; 2 supported)',
      );
      expect(criteriaOf(await render(all))).toContain('It does. |');
    });

    it('has no second table when the report lists no statement', async () => {
      expect(tablesOf(criteriaOf(await render([])))).toHaveLength(1);
    });
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

import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { CLOSING, escapeMarkdown, SECTIONS } from './markdown.ts';

const now = new Date('2026-05-13T08:00:00Z');

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
    for (const row of report.body.split('\n').filter((line) => line.startsWith('|')))
      expect(row.replaceAll('\\|', '').split('|')).toHaveLength(5);
    expect(report.body.trimEnd().endsWith(CLOSING)).toBe(true);
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

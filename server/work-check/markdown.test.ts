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

  it('removes characters that hide or turn text', () => {
    expect(escapeMarkdown('a\u202eb\u200bc\u0007')).toBe('a b c');
  });
});

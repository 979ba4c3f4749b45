import type { Report } from './contract.ts';
import { renderMarkdown } from './markdown.ts';
import { clip } from './quoting.ts';

/** Hosts of models cut off or refuse longer results (characters of JSON). */
export const summaryCharsMax = 40_000;
/** Lengths that reasons are cut to, one after the other, where a report is longer even without its statements. */
const REASON_CHARS = [1_000, 500, 250, 120] as const;

/**
 * A report without its proven statements, which `next` reads: every required field, all findings and all sections of the
 * Markdown stay. Where that is longer than `summaryCharsMax`, statements go from the last on, then long reasons are cut.
 * A statement that is left carries its number in the whole report.
 */
export function summaryView(report: Report, next: string): Report {
  const numbered = report.statements.map((statement, at) => ({ ...statement, number: at + 1 }));
  const open = numbered.filter(({ status }) => status !== 'supported');
  const withFirst = (count: number, of: Report = report): Report => ({
    ...of,
    statements: open.slice(0, count),
    statements_omitted: report.statements.length - count,
    next,
  });
  const fits = (view: Report): boolean => JSON.stringify(view).length <= summaryCharsMax;
  let [few, many] = [0, open.length];
  if (fits(withFirst(many))) return withFirst(many);
  while (few < many) {
    const middle = Math.ceil((few + many) / 2);
    if (fits(withFirst(middle))) few = middle;
    else many = middle - 1;
  }
  if (fits(withFirst(few))) return withFirst(few);
  for (const chars of REASON_CHARS) {
    const view = withFirst(0, withReasons(report, chars));
    if (fits(view)) return view;
  }
  return withFirst(0, withReasons(report, REASON_CHARS[REASON_CHARS.length - 1] ?? 0));
}

/** The same report with reasons of so many characters at most, in the findings and in the Markdown. */
function withReasons({ report: _, ...whole }: Report, chars: number): Report {
  const findings = whole.findings.map(({ citations, ...finding }) => ({
    ...finding,
    criterion: clip(finding.criterion, chars),
    reason: clip(finding.reason, chars),
    ...(citations === undefined ? {} : { citations: citations.slice(0, 1) }),
  }));
  const cut = { ...whole, findings };
  return { ...cut, report: { format: 'text/markdown', body: renderMarkdown(cut) } };
}

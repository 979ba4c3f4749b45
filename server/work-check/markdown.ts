import type { Report } from './contract.ts';
import { clip } from './quoting.ts';

/**
 * Where a text may need more than to be copied: it opens with something else than a letter or a quotation mark, or holds
 * a character outside of plain prose, a mark, two spaces, the end of a scheme or "www", or an underscore at the edge of a
 * word. Most lines of a report hold none of it, and one search is much cheaper than one for each mark.
 */
const NOT_PLAIN =
  /^(?![A-Za-z“‘"'(])|[^\w !"#$%'()+,\-./:;=?@^{}“”‘’…]| {2}|[psoPSO]:|[wW]\.|(?<![A-Za-z])_|_(?![A-Za-z])| $/;

/** Makes submitted text safe inside a Markdown line or table cell: it can neither mark up, link, nor break a row. */
export function escapeMarkdown(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*[\]|~]|(?<![\p{L}\d])_|_(?![\p{L}\d])/gu, '\\$&')
    .replace(/^([-+=#]|\d+[.)])/, '\\$1')
    .replaceAll(/\b(https?|ftp|mailto):/gi, '$1&#58;')
    .replaceAll(/\bwww\./gi, 'www&#46;');
}

const STATUS_WORDS: Record<Report['findings'][number]['status'], string> = {
  met: 'met',
  partly_met: 'partly met',
  missing: 'missing',
  contradicted: 'contradicted',
  not_assessable: 'not assessable',
};

export const CLOSING =
  'This report is an assessment for the buyer’s review. It does not certify the work, and a receipt does not certify the work either.';

export const SECTIONS = [
  'Summary',
  'Recommended action',
  'Criteria',
  'Evidence cited',
  'Checks',
  'Sources',
  'Limitations',
  'Using the assessed work',
] as const;

/** Lines in the service's own words stand in report after report: each is escaped once. */
const ownLines = new Map<string, string>();
const OWN_LINES_MAX = 200;

function escapeOwn(line: string): string {
  const known = ownLines.get(line);
  if (known !== undefined) return known;
  const escaped = escapeMarkdown(line);
  if (ownLines.size < OWN_LINES_MAX) ownLines.set(line, escaped);
  return escaped;
}

function lines<T>(items: readonly T[], write: (item: T) => string): string {
  let text = '';
  for (const item of items) text += `${write(item)}\n`;
  return text;
}

/** The report as Markdown, its sections in the order of the service contract. `report` is everything but this text. */
export function renderMarkdown(report: Omit<Report, 'report'>): string {
  const body: Record<(typeof SECTIONS)[number], string> = {
    Summary: `${escapeMarkdown(report.summary)}\n${correctionLines(report)}`,
    'Recommended action': `${escapeOwn(report.recommended_action ?? '')}\n`,
    Criteria: criteriaTable(report),
    'Evidence cited': citedLines(report),
    Checks: lines(report.verification.checks, checkLine),
    Sources: `Supplied by the buyer:\n\n${sourceLines(report.sources.supplied)}
Independently retrieved by the service:\n\n${sourceLines(report.sources.independently_retrieved)}`,
    Limitations: lines(report.limitations, (line) => `- ${escapeOwn(line)}`),
    'Using the assessed work': `${
      report.assessed_work_use.human_approval_required
        ? 'A person must approve the work before it is used.'
        : 'No approval by a person is required before use.'
    }\n${escapeOwn(report.assessed_work_use.basis)}\n`,
  };
  const opening = `Contract \`${report.contract_version}\` · Verdict: **${report.verdict}**`;
  const sections = lines(SECTIONS, (title) => `## ${title}\n\n${body[title]}`);
  return `# Work check report\n\n${opening}\n\n${sections}---\n\n${CLOSING}\n`;
}

/** The findings hold reasons in full. */
const REASON_CHARS = 120;

function criteriaTable({ findings }: Omit<Report, 'report'>): string {
  const rows = lines(
    findings,
    ({ criterion, status, reason }) =>
      `| ${escapeMarkdown(criterion)} | ${STATUS_WORDS[status]} | ${escapeMarkdown(clip(reason, REASON_CHARS))} |`,
  );
  return `| Criterion | Status | Reason |\n| --- | --- | --- |\n${rows}`;
}

function checkLine({ check, status, detail }: Report['verification']['checks'][number]): string {
  const reason = typeof detail.reason === 'string' ? `: ${escapeOwn(detail.reason)}` : '';
  return `- \`${check}\`: ${status}${reason}`;
}

function citedLines({ findings, statements, sources }: Omit<Report, 'report'>): string {
  const cited = new Map<string, Set<string>>();
  for (const { citations = [] } of [...findings, ...statements])
    for (const { ref, start, end } of citations) {
      const places = cited.get(ref) ?? new Set();
      cited.set(ref, places.add(`${start} ${end}`));
    }
  const named = [...sources.supplied, ...sources.independently_retrieved].filter(({ ref }) => cited.has(ref));
  if (named.length === 0) return 'No passage is cited.\n';
  return lines(named, ({ ref, source, origin }) => {
    const count = cited.get(ref)?.size ?? 0;
    return `- ${escapeMarkdown(source) || 'unnamed'} (\`${ref}\`, ${origin}), ${count} ${count === 1 ? 'passage' : 'passages'}`;
  });
}

function sourceLines(sources: Report['sources']['supplied']): string {
  if (sources.length === 0) return '- none\n';
  return lines(
    sources,
    ({ ref, observed_at }) => `- \`${ref}\`: ${observed_at === null ? 'no date given' : `observed ${observed_at}`}`,
  );
}

function correctionLines({ correction, verdict }: Omit<Report, 'report'>): string {
  if (correction === undefined) return '';
  const changes = lines(
    correction.changes,
    ({ criterion, before, after }) =>
      `- ${escapeMarkdown(criterion)}: ${escapeMarkdown(before)} → ${escapeMarkdown(after)}`,
  );
  const outcome =
    correction.verdict_before === verdict
      ? `- The verdict is still ${verdict}.`
      : `- The verdict was ${correction.verdict_before} and is now ${verdict}.`;
  return `
This is the included re-check, asked for because: ${escapeMarkdown(correction.reason)}. Against the first report:

${outcome}
${changes === '' ? '- No finding changed.\n' : changes}`;
}

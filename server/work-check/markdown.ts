import type { Report } from './contract.ts';

const QUOTES = [...'“”‘’'].map((quote) => quote.charCodeAt(0));
const [SPACE, COLON, POINT, UNDERSCORE] = [32, 58, 46, 95];

/** Whether a character of ASCII marks nothing up, wherever it stands. */
const HARMLESS = Array.from(
  { length: 128 },
  (_, code) => code >= 32 && code < 127 && !'&<>\\`*[]|~'.includes(String.fromCharCode(code)),
);

/**
 * Whether nothing in a text needs to be escaped: most lines of a report are plain prose, and reading a line once is much
 * cheaper than searching it for each mark. May say no to a text that needs nothing, never yes to one that does.
 */
function isPlain(text: string): boolean {
  if (!/^[A-Za-z“‘"'(]/.test(text) || text.endsWith(' ')) return false;
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128 ? !HARMLESS[code] : !QUOTES.includes(code)) return false;
    // Two spaces become one; a colon may end the scheme of an address, a point its "www".
    if (code === SPACE && before === SPACE) return false;
    if (code === COLON && /[pso]/i.test(String.fromCharCode(before))) return false;
    if (code === POINT && /w/i.test(String.fromCharCode(before))) return false;
    if (code === UNDERSCORE && !/^[a-z]_[a-z]$/.test(text.slice(at - 1, at + 2))) return false;
    before = code;
  }
  return true;
}

/** Makes submitted text safe inside a Markdown line or table cell: it can neither mark up, link, nor break a row. */
export function escapeMarkdown(text: string): string {
  if (isPlain(text)) return text;
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

/** The report as Markdown, its sections in the order of the service contract. `report` is everything but this text. */
export function renderMarkdown(report: Omit<Report, 'report'>): string {
  const body: Record<(typeof SECTIONS)[number], string[]> = {
    Summary: [escapeMarkdown(report.summary), ...correctionLines(report)],
    'Recommended action': [escapeMarkdown(report.recommended_action ?? '')],
    Criteria: [
      '| Criterion | Status | Reason |',
      '| --- | --- | --- |',
      ...report.findings.map(
        ({ criterion, status, reason }) =>
          `| ${escapeMarkdown(criterion)} | ${STATUS_WORDS[status]} | ${escapeMarkdown(reason)} |`,
      ),
    ],
    'Evidence cited': citedLines(report),
    Checks: report.verification.checks.map(({ check, status, detail }) => {
      const reason = typeof detail.reason === 'string' ? `: ${escapeMarkdown(detail.reason)}` : '';
      return `- \`${check}\`: ${status}${reason}`;
    }),
    Sources: [
      'Supplied by the buyer:',
      '',
      ...sourceLines(report.sources.supplied),
      '',
      'Independently retrieved by the service:',
      '',
      ...sourceLines(report.sources.independently_retrieved),
    ],
    Limitations: report.limitations.map((line) => `- ${escapeMarkdown(line)}`),
    'Using the assessed work': [
      report.assessed_work_use.human_approval_required
        ? 'A person must approve the work before it is used.'
        : 'No approval by a person is required before use.',
      escapeMarkdown(report.assessed_work_use.basis),
    ],
  };
  const sections = SECTIONS.flatMap((title) => [`## ${title}`, '', ...body[title], '']);
  return [
    '# Work check report',
    '',
    `Contract \`${report.contract_version}\` · Verdict: **${report.verdict}**`,
    '',
    ...sections,
    '---',
    '',
    CLOSING,
    '',
  ].join('\n');
}

function citedLines(report: Omit<Report, 'report'>): string[] {
  const all = [...report.sources.supplied, ...report.sources.independently_retrieved];
  const counts = new Map<string, number>();
  for (const citation of report.findings.flatMap((finding) => finding.citations ?? []))
    counts.set(citation.ref, (counts.get(citation.ref) ?? 0) + 1);
  const cited = all.filter(({ ref }) => counts.has(ref));
  if (cited.length === 0) return ['No passage is cited.'];
  return cited.map(({ ref, source, origin }) => {
    const count = counts.get(ref) ?? 0;
    return `- ${escapeMarkdown(source) || 'unnamed'} (\`${ref}\`, ${origin}), ${count} ${count === 1 ? 'passage' : 'passages'}`;
  });
}

function sourceLines(sources: Report['sources']['supplied']): string[] {
  if (sources.length === 0) return ['- none'];
  return sources.map(
    ({ ref, source, digest, observed_at }) =>
      `- ${escapeMarkdown(source) || 'unnamed'} (\`${ref}\`, \`${digest}\`, ${observed_at === null ? 'no date given' : `observed ${observed_at}`})`,
  );
}

function correctionLines({ correction, verdict }: Omit<Report, 'report'>): string[] {
  if (correction === undefined) return [];
  const changes = correction.changes.map(
    ({ criterion, before, after }) =>
      `- ${escapeMarkdown(criterion)}: ${escapeMarkdown(before)} → ${escapeMarkdown(after)}`,
  );
  return [
    '',
    `This is the included re-check, asked for because: ${escapeMarkdown(correction.reason)}. Against the first report:`,
    '',
    correction.verdict_before === verdict
      ? `- The verdict is still ${verdict}.`
      : `- The verdict was ${correction.verdict_before} and is now ${verdict}.`,
    ...(changes.length > 0 ? changes : ['- No finding changed.']),
  ];
}

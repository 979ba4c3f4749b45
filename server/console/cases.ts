import type { CheckRequest, Finding, Report, ReportedStatement } from '../work-check/contract.ts';
import type { CaseError } from './contract/quality.ts';

/** A finding that an operator judged, with its work and evidence. */
export interface JudgedFinding {
  key: string;
  finding: number;
  label: 'right' | 'wrong';
  error: CaseError | null;
  request: CheckRequest;
  report: Report;
}

/**
 * A judged finding as a case of `npm run check:cases`: a correct work, and the same with one error. Null where no such
 * pair can be made.
 *
 * A finding that is rightly not `met` and names the contradicting words gives both: the known words are correct. One
 * that wrongly accuses gives the work as it is; its error is a changed number in a supported statement.
 */
export function caseOf(judged: JudgedFinding): Record<string, unknown> | null {
  const { request, report, finding: place, label } = judged;
  const finding = report.findings[place];
  const work = request.work_product;
  if (!finding || !request.criteria || !isWork(work)) return null;
  const found = label === 'right' ? foundError(judged, finding) : null;
  const planted = found ?? (label === 'wrong' ? plantedNumber(judged) : null);
  if (!planted || !isAccused(finding)) return null;
  const clean = found ? replaced(work, [planted.replace[1], planted.replace[0]]) : work;
  if (clean === null || replaced(clean, planted.replace) === null) return null;
  return {
    id: judged.key.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    kind: request.work_kind ?? 'other_text',
    error: planted.error,
    ...askedIn(request),
    work_product: clean,
    clean: {
      statements_supported: supportedIn(judged, planted.replace[1]),
      criteria: request.criteria.map((_, index) => criterionOf(report.findings[index], index === place)),
    },
    planted: {
      replace: planted.replace,
      hurts: found && place < request.criteria.length ? [place] : [],
      names: planted.replace,
      verdict_at_most: 'revise',
    },
  };
}

const isAccused = ({ status }: Finding): boolean => status !== 'met' && status !== 'not_assessable';

const isWork = (work: unknown): work is string | object =>
  typeof work === 'string' || (typeof work === 'object' && work !== null);

/** The parts of a request that a case keeps as they are. */
const askedIn = ({ request, evidence, criteria, expected_schema }: CheckRequest) => ({
  ...(request === undefined ? {} : { request }),
  evidence,
  criteria,
  ...(expected_schema === undefined ? {} : { expected_schema }),
});

interface Planted {
  error: CaseError;
  /** From the correct words to the wrong ones. */
  replace: [string, string];
}

/** The correct work meets the judged criterion; the others keep the report's status, if a reviewer could tell. */
function criterionOf(finding: Finding | undefined, isJudged: boolean): 'met' | 'not_assessable' {
  return isJudged || finding?.status === 'met' ? 'met' : 'not_assessable';
}

function foundError({ report, error }: JudgedFinding, { statements = [] }: Finding): Planted | null {
  for (const index of statements) {
    const compared = report.statements[index]?.compared;
    if (compared && compared.claimed !== '' && compared.known !== '' && compared.claimed !== compared.known) {
      return { error: error ?? 'wrong_attribution', replace: [compared.known, compared.claimed] };
    }
  }
  return null;
}

const numeral = /\d[\d,]*(?:\.\d+)?/;

/** Changes the first digit of a number in a supported statement. */
function plantedNumber({ request, report }: JudgedFinding): Planted | null {
  for (const statement of report.statements) {
    if (statement.status !== 'supported') continue;
    const text = textOf(request, statement);
    const [number] = numeral.exec(text) ?? [];
    if (number === undefined) continue;
    const changed = number.replace(/^\d/, (digit) => String((Number(digit) % 9) + 1));
    const from = text.length > 400 ? number : text;
    return { error: 'wrong_number', replace: [from, from.replace(number, () => changed)] };
  }
  return null;
}

/** The statements that the report found supported, except those with the wrong words. */
function supportedIn({ request, report }: JudgedFinding, wrong: string): string[] {
  return report.statements
    .filter(({ status }) => status === 'supported')
    .map((statement) => placeOf(request, statement))
    .filter((text) => text !== '' && !text.includes(wrong));
}

/** A statement of the work in its words, or its path in the format of cases: `$.a[0].b`. */
function placeOf(request: CheckRequest, statement: ReportedStatement): string {
  if (statement.path === undefined) return textOf(request, statement);
  const parts = statement.path.split('/').slice(1);
  return `$${parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}

/** The words of a statement: a stretch of the text, or the value at its path. */
export function textOf({ work_product: work }: CheckRequest, { path, start = 0, end = 0 }: ReportedStatement): string {
  if (path === undefined) return Buffer.from(String(work)).subarray(start, end).toString('utf8');
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const value = names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], work);
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The work with the words replaced once; null when it lacks them, or stops being JSON. */
function replaced(
  work: CheckRequest['work_product'],
  [from, to]: [string, string],
): CheckRequest['work_product'] | null {
  const text = typeof work === 'string' ? work : JSON.stringify(work);
  if (!text.includes(from)) return null;
  const changed = text.replace(from, () => to);
  if (typeof work === 'string') return changed;
  try {
    return JSON.parse(changed) as CheckRequest['work_product'];
  } catch {
    return null;
  }
}

import type { CheckRequest, Finding, Report, ReportedStatement } from '../work-check/contract.ts';
import type { CaseError } from './quality-contract.ts';

/** A finding that somebody has judged, with what it was about. */
export interface JudgedFinding {
  key: string;
  finding: number;
  label: 'right' | 'wrong';
  error: CaseError | null;
  request: CheckRequest;
  report: Report;
}

/**
 * A judged finding as a case of `npm run check:cases`: a correct work, and the same with one error. Null where no such pair
 * can be made of it.
 *
 * A finding that is rightly not `met` and says which words stand against which gives both: the words that are known are the
 * correct ones. One that wrongly accuses gives the work as it is; its error is a number of a statement that the evidence
 * bears out, changed.
 */
export function caseOf(judged: JudgedFinding): Record<string, unknown> | null {
  const { request, report, finding: place, label } = judged;
  const finding = report.findings[place];
  const work = request.work_product;
  if (!finding || !request.criteria || (typeof work !== 'string' && typeof work !== 'object') || work === null)
    return null;
  const isAccused = finding.status !== 'met' && finding.status !== 'not_assessable';
  const found = label === 'right' && isAccused ? foundError(judged, finding) : null;
  const planted = found ?? (label === 'wrong' && isAccused ? plantedNumber(judged) : null);
  if (!planted) return null;
  const clean = found ? replaced(work, [planted.replace[1], planted.replace[0]]) : work;
  if (clean === null || replaced(clean, planted.replace) === null) return null;
  return {
    id: judged.key.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    kind: request.work_kind ?? 'other_text',
    error: planted.error,
    ...(request.request === undefined ? {} : { request: request.request }),
    work_product: clean,
    evidence: request.evidence,
    criteria: request.criteria,
    ...(request.expected_schema === undefined ? {} : { expected_schema: request.expected_schema }),
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

interface Planted {
  error: CaseError;
  /** From the correct words to the wrong ones. */
  replace: [string, string];
}

/** The judged criterion is met by the correct work; of the others what the report said of it, if a reviewer could. */
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

/** Another number in a statement that the evidence bears out: the same one and a ninth, digit by digit as it is written. */
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

/** What the report found borne out, without what holds the wrong words. */
function supportedIn({ request, report }: JudgedFinding, wrong: string): string[] {
  return report.statements
    .filter(({ status }) => status === 'supported')
    .map((statement) => placeOf(request, statement))
    .filter((text) => text !== '' && !text.includes(wrong));
}

/** A statement of the work in its words, or its path as cases write it: `$.a[0].b`. */
function placeOf(request: CheckRequest, statement: ReportedStatement): string {
  if (statement.path === undefined) return textOf(request, statement);
  const parts = statement.path.split('/').slice(1);
  return `$${parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}

/** The words of a statement: a stretch of the text, or what stands at its path. */
export function textOf({ work_product: work }: CheckRequest, { path, start = 0, end = 0 }: ReportedStatement): string {
  if (path === undefined) return Buffer.from(String(work)).subarray(start, end).toString('utf8');
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const value = names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], work);
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The work with the words replaced once; null when they are not in it, or it is no JSON any more. */
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

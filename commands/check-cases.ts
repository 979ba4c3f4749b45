import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readAssessorModels } from '../server/configuration/assessor.ts';
import type { JsonValue } from '../server/kernel/json-value.ts';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { languageModelAssessor } from '../server/work-check/assessors/language-model/assessor.ts';
import type { Assessor } from '../server/work-check/assessors/port.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { CheckRequest, Finding, Report } from '../server/work-check/contract.ts';
import { figuresOf } from './check-cases-figures.ts';
import { recorded, replayed } from './check-recordings.ts';

/**
 * Measures whole reports on realistic cases, each a pair of correct work and the same work with one planted error, and
 * prints the worst reports. Without DIR it measures the repository's cases and any beside it.
 *
 * `npm run check:cases -- [DIR] [--reports N] [--only ID] [--json]`
 *
 * `--assessor configured` has the models that `ASSESSOR_MODELS` names read them, several cases at once; `--record FOLDER`
 * keeps what they answer, `--replay FOLDER` answers from it. `--version correct` or `--version planted` reads only one of
 * each pair, so that different readers can have the two.
 *
 * DIR may also be a file with one case per line, as the console exports findings that operators judged.
 */
export type Case = Pick<CheckRequest, 'request' | 'evidence' | 'expected_schema'> & {
  id: string;
  kind: NonNullable<CheckRequest['work_kind']>;
  error: string;
  work_product: string | { [key: string]: JsonValue } | JsonValue[];
  criteria: string[];
  clean: { statements_supported: string[]; criteria: ('met' | 'not_assessable')[] };
  planted: { replace: [string, string]; hurts: number[]; names: string[]; verdict_at_most: string };
};

/** Readers may take minutes: this many cases are open at once. */
const AT_ONCE = 4;
const NOW = new Date('2026-01-15T12:00:00Z');

/** The repository's cases. */
export const ownCases = join(import.meta.dirname, '../server/work-check/cases');
/** Ten more, of other kinds of work. Written before the engines were last reread, then used to improve them. */
export const laterCases = join(import.meta.dirname, '../server/work-check/later-cases');
/**
 * A hundred and eight by authors who had not seen the check. Each was measured before it was read, then used to improve it.
 */
export const freshCases = join(import.meta.dirname, '../server/work-check/fresh-cases');
const CASES_BESIDE = join(import.meta.dirname, '../../shared/data/check/cases');

export function readCases(folder: string): Case[] {
  if (folder.endsWith('.ndjson')) {
    const lines = readFileSync(folder, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Case);
  }
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case);
}

/** The request that checks a case's work. */
export function requestOf(given: Case, work_product: Case['work_product']): CheckRequest {
  const { request, evidence, criteria, kind, expected_schema } = given;
  return {
    work_product,
    evidence,
    criteria,
    work_kind: kind,
    ...(request === undefined ? {} : { request }),
    ...(expected_schema === undefined ? {} : { expected_schema }),
  };
}

/** A case's work with its planted error. */
export function plantedWork({ work_product, planted: { replace } }: Case): Case['work_product'] {
  const [from, to] = replace;
  if (typeof work_product === 'string') return work_product.replace(from, () => to);
  return JSON.parse(JSON.stringify(work_product).replace(from, () => to));
}

const isOpen = ({ status }: Finding): boolean => status !== 'met';

/** Where a report names the planted error: an unmet finding whose words the correct work's report lacks. */
function namesError(given: Case, planted: Report, clean: Report): boolean {
  const { hurts, names } = given.planted;
  const cleanReasons = new Set(clean.findings.filter(isOpen).map(({ reason }) => reason));
  return planted.findings.some((finding, index) => {
    const looked = hurts.length === 0 || hurts.includes(index);
    return (
      looked &&
      isOpen(finding) &&
      names.some((name) => finding.reason.includes(name)) &&
      !cleanReasons.has(finding.reason)
    );
  });
}

/** The text that a reported statement is about: a stretch of the work, or a path in JSONPath form. */
export function placeOf(
  work: Case['work_product'],
  { path, start = 0, end = 0 }: Report['statements'][number],
): string {
  if (path !== undefined)
    return `$${path
      .split('/')
      .slice(1)
      .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
      .join('')}`;
  return Buffer.from(String(work)).subarray(start, end).toString('utf8');
}

const plain = (text: string): string => text.replaceAll(/[*`_\s]+/g, ' ').trim();

function foundStatements(given: Case, report: Report): { found: number; missed: string[] } {
  const supported = report.statements
    .filter(({ status }) => status === 'supported')
    .map((statement) => plain(placeOf(given.work_product, statement)));
  const missed = given.clean.statements_supported.filter((wanted) => {
    const flat = plain(wanted);
    return !supported.some(
      (text) => text === flat || (!flat.startsWith('$') && (text.includes(flat) || flat.includes(text))),
    );
  });
  return { found: given.clean.statements_supported.length - missed.length, missed };
}

export type CaseResult = {
  given: Case;
  clean: Report;
  planted: Report;
  named: boolean;
  accused: number[];
  met: number;
  found: number;
  missed: string[];
};

export type Version = 'correct' | 'planted';

/** The report on one version of a case; its seed is its name, so that what models answer can be replayed. */
export function checkVersion(given: Case, version: Version, assessor: Assessor = embeddedAssessor): Promise<Report> {
  const work = version === 'correct' ? given.work_product : plantedWork(given);
  return checkWork(requestOf(given, work), { assessor, now: NOW, seed: `${given.id} ${version}` });
}

export async function measureCase(given: Case, assessor?: Assessor): Promise<CaseResult> {
  const clean = await checkVersion(given, 'correct', assessor);
  const planted = await checkVersion(given, 'planted', assessor);
  const own = clean.findings.slice(0, given.criteria.length);
  const accused = own.flatMap(({ status }, index) =>
    status === 'missing' || status === 'contradicted' ? [index] : [],
  );
  const met = own.filter(({ status }, index) => status === 'met' && given.clean.criteria[index] === 'met').length;
  return {
    given,
    clean,
    planted,
    named: namesError(given, planted, clean),
    accused,
    met,
    ...foundStatements(given, clean),
  };
}

/** How bad a pair of reports is: higher is worse. */
function badness({ accused, named, clean, given, found }: CaseResult): number {
  return (
    accused.length * 3 +
    (clean.verdict === 'revise' ? 3 : 0) +
    (named ? 0 : 2) +
    (1 - found / Math.max(1, given.clean.statements_supported.length))
  );
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const reports = Number(option('--reports') ?? 10);
  const only = option('--only');
  const missing = { count: 0 };
  const assessor = option('--assessor') === 'configured' ? configuredAssessor(option, missing) : undefined;
  const named = args.find((argument, at) => !argument.startsWith('--') && !(args[at - 1] ?? '').startsWith('--'));
  const folders =
    named === undefined ? [ownCases, laterCases, freshCases, CASES_BESIDE].filter(existsSync) : [resolve(named)];
  for (const folder of folders) {
    if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
    const cases = readCases(folder).filter(({ id }) => only === undefined || id === only);
    if (args.includes('--version')) {
      await atOnce(cases, (given) => readVersion(given, option('--version') as Version, assessor));
      continue;
    }
    const results = (await atOnce(cases, (given) => measureCase(given, assessor))).sort((a, b) =>
      a.given.id < b.given.id ? -1 : 1,
    );
    const figures = figuresOf(results);
    if (args.includes('--json')) console.log(JSON.stringify({ folder, ...figures }));
    else report(folder, results, figures, reports);
  }
  if (missing.count > 0) console.log(`${missing.count} questions had no recorded answer.`);
}

async function atOnce<T>(cases: readonly Case[], run: (given: Case) => Promise<T>): Promise<T[]> {
  const waiting = [...cases];
  const done: T[] = [];
  const work = async (): Promise<void> => {
    for (let given = waiting.shift(); given !== undefined; given = waiting.shift()) done.push(await run(given));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return done;
}

async function readVersion(given: Case, version: Version, assessor: Assessor | undefined): Promise<void> {
  const { verdict, findings } = await checkVersion(given, version, assessor);
  console.log(`${given.id} ${version}: ${verdict}; ${findings.map(({ status }) => status).join(', ')}`);
}

function configuredAssessor(option: (name: string) => string | undefined, missing: { count: number }): Assessor {
  const panel = readAssessorModels(process.env);
  const [record, replay] = [option('--record'), option('--replay')];
  return languageModelAssessor(panel, {
    around: (model) =>
      replay === undefined
        ? record === undefined
          ? model
          : recorded(model, record)
        : replayed(model, replay, missing),
  });
}

function report(folder: string, results: readonly CaseResult[], figures: Record<string, string>, shown: number): void {
  console.log(`\n${relative(process.cwd(), folder)}: ${results.length} cases`);
  for (const result of [...results].sort((a, b) => badness(b) - badness(a)).slice(0, shown)) print(result);
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(52)} ${value}`);
}

function print(result: CaseResult): void {
  const { given, clean, planted, named, missed, found } = result;
  console.log(
    `\n━━ ${given.id} · ${given.error} · correct: ${clean.verdict}, planted: ${planted.verdict}, named: ${named}`,
  );
  for (const [title, report] of [
    ['correct', clean],
    ['planted', planted],
  ] as const) {
    console.log(`── ${title}: ${report.summary}`);
    for (const [index, finding] of report.findings.entries()) {
      const expected =
        title === 'correct' ? given.clean.criteria[index] : given.planted.hurts.includes(index) ? 'HURT' : '';
      console.log(
        `   [${finding.status}${expected === undefined || expected === '' ? '' : ` / ${expected}`}] ${finding.criterion}\n      ${finding.reason}`,
      );
    }
  }
  console.log(`── statements found ${found} of ${given.clean.statements_supported.length}; not found:`);
  for (const text of missed) {
    const own = clean.statements.find((statement) => {
      const place = plain(placeOf(given.work_product, statement));
      return (
        place === plain(text) ||
        (!text.startsWith('$') && place !== '' && (place.includes(plain(text)) || plain(text).includes(place)))
      );
    });
    console.log(`   ${text}\n      → ${own === undefined ? 'no statement' : `${own.status}: ${own.why}`}`);
  }
}

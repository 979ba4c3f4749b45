import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { resolveCitation } from './citations.ts';
import { type CheckRequest, deterministicChecks, plannedChecks, Report } from './contract.ts';
import { entriesOf } from './entries.ts';
import { CheckFailure } from './failure.ts';
import { gatherSources, type RetrievedSource } from './gather-sources.ts';
import { SECTIONS } from './markdown.ts';
import type { EvidenceSource } from './reading/evidence-index.ts';
import { capOfChecks, isWithin } from './verdict.ts';

/**
 * The shape of a report by its JSON Schema, as it is published: compiled, it only looks, where parsing would copy all
 * of a report. Its only bound on the length of a text is one character, so none need be counted.
 */
let isReport: ValidateFunction<Report> | undefined;
const compileShape = (): ValidateFunction<Report> =>
  new Ajv2020({ strict: false, logger: false, unicode: false }).compile<Report>(
    z.toJSONSchema(Report, { io: 'input' }),
  );

/**
 * Proves that a report meets the contract (service contract, sections 1.10, 2.5 and 2.6): shape, a finding for every
 * criterion in order, citations that resolve byte for byte, checks that agree with each other and cap the verdict.
 *
 * `sources` are those of the request when the caller has read them already.
 *
 * @throws {CheckFailure} `report_invalid`, naming the first rule broken
 */
export function validateReport(
  report: unknown,
  request: CheckRequest,
  retrieved: readonly RetrievedSource[] = [],
  sources: readonly EvidenceSource[] = gatherSources(request, retrieved),
): asserts report is Report {
  isReport ??= compileShape();
  if (!isReport(report)) {
    const fault = isReport.errors?.[0];
    const place = fault?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    throw new CheckFailure('report_invalid', `${place}: ${fault?.message ?? 'wrong shape'}`);
  }
  for (const [rule, holds] of rulesOf(report, request, sources)) {
    if (!holds) throw new CheckFailure('report_invalid', rule);
  }
}

const HEADINGS = SECTIONS.map((title) => `## ${title}`).join();

function rulesOf(report: Report, request: CheckRequest, sources: readonly EvidenceSource[]): [string, boolean][] {
  const { checks, verification } = report;
  const listed = [...checks.performed, ...checks.skipped, ...checks.failed];
  const status = new Map(verification.checks.map((outcome) => [outcome.check, outcome.status]));
  const headings = report.report.body.match(/^## .+$/gm) ?? [];
  const planned = plannedChecks(request);
  return [
    [
      'every criterion has a finding, in order',
      entriesOf(request).every(({ label }, index) => report.findings[index]?.criterion === label),
    ],
    [
      'every citation resolves to a passage',
      report.findings.every(({ citations }) =>
        (citations ?? []).every((citation) => resolveCitation(citation, sources) !== undefined),
      ),
    ],
    [
      'each check is listed once',
      listed.length === deterministicChecks.length && new Set(listed).size === listed.length,
    ],
    [
      'the lists of checks agree',
      checks.performed.every((check) => status.get(check) === 'passed') &&
        checks.skipped.every((check) => status.get(check) === 'skipped') &&
        checks.failed.every((check) => status.get(check) === 'failed') &&
        verification.failed_checks.join() === checks.failed.join(),
    ],
    ['the planned checks ran', planned.every(({ check, will_run }) => (status.get(check) === 'skipped') !== will_run)],
    ['a failed check caps the verdict', isWithin(report.verdict, capOfChecks(verification.checks))],
    [
      'the sources are those of the request',
      [...report.sources.supplied, ...report.sources.independently_retrieved]
        .map(({ ref, digest, origin }) => `${ref} ${digest} ${origin}`)
        .join() === sources.map(({ ref, digest, origin }) => `${ref} ${digest} ${origin}`).join(),
    ],
    ['the evidence list says where each source comes from', report.evidence.length === sources.length],
    ['the Markdown has its sections in order', headings.join() === HEADINGS],
    [
      'approval by a person is stated as the buyer asked',
      request.downstream_policy?.human_approval_required !== true || report.assessed_work_use.human_approval_required,
    ],
    ['limitations are stated', report.limitations.length > 0],
  ];
}

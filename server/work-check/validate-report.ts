import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { resolveCitation } from './citations.ts';
import {
  type CheckOutcome,
  type CheckRequest,
  type DeterministicCheck,
  deterministicChecks,
  plannedChecks,
  Report,
  type SourceEntry,
} from './contract.ts';
import { entriesOf } from './entries.ts';
import { CheckFailure } from './failure.ts';
import { gatherSources, type RetrievedSource } from './gather-sources.ts';
import { SECTIONS } from './markdown.ts';
import type { EvidenceSource } from './reading/evidence-index.ts';
import { capOfChecks, isWithin } from './verdict.ts';

/**
 * The shape of a report by its JSON Schema, as it is published: compiled, it only looks, where parsing would copy all
 * of a report. Its only bound on the length of a text is one character, so none need be counted, and its
 * only pattern is of plain characters.
 */
let isReport: ValidateFunction<Report> | undefined;
const compileShape = (): ValidateFunction<Report> =>
  new Ajv2020({ strict: false, logger: false, unicode: false, unicodeRegExp: false }).compile<Report>(
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
  const broken = RULES.find(([, holds]) => !holds(report, request, sources));
  if (broken !== undefined) throw new CheckFailure('report_invalid', broken[0]);
}

type Rule = (report: Report, request: CheckRequest, sources: readonly EvidenceSource[]) => boolean;

/** What a report of the right shape must hold, too; each with the words that name it. */
const RULES: readonly (readonly [string, Rule])[] = [
  [
    'every criterion has a finding, in order',
    ({ findings }, request) => entriesOf(request).every(({ label }, index) => findings[index]?.criterion === label),
  ],
  [
    'every citation resolves to a passage',
    ({ findings }, _, sources) =>
      findings.every(
        ({ citations }) =>
          citations === undefined || citations.every((citation) => resolveCitation(citation, sources) !== undefined),
      ),
  ],
  ['each check is listed once', ({ checks }) => isEachListedOnce(checks)],
  ['the lists of checks agree', ({ checks, verification }) => doListsAgree(checks, verification)],
  [
    'the planned checks ran',
    ({ verification }, request) =>
      plannedChecks(request).every(({ check, will_run }) => (statusOf(verification, check) === 'skipped') !== will_run),
  ],
  [
    'a failed check caps the verdict',
    ({ verdict, verification }) => isWithin(verdict, capOfChecks(verification.checks)),
  ],
  [
    'the sources are those of the request',
    ({ sources: { supplied, independently_retrieved: retrieved } }, _, sources) =>
      supplied.length + retrieved.length === sources.length &&
      sources.every((source, at) => isSameSource(supplied[at] ?? retrieved[at - supplied.length], source)),
  ],
  [
    'the evidence list says where each source comes from',
    ({ evidence }, _, sources) => evidence.length === sources.length,
  ],
  ['the Markdown has its sections in order', ({ report: { body } }) => hasItsSections(body)],
  [
    'approval by a person is stated as the buyer asked',
    ({ assessed_work_use }, { downstream_policy }) =>
      downstream_policy?.human_approval_required !== true || assessed_work_use.human_approval_required,
  ],
  [
    'what a person should decide needs approval',
    ({ assessed_work_use: { human_approval_required: isRequired, recommendation } }) =>
      isRequired || recommendation !== 'decide_by_a_person',
  ],
  ['limitations are stated', ({ limitations }) => limitations.length > 0],
];

const HEADING = '\n## ';

/** Whether the headings of the second level are those of the contract: each once, in order, and no other. */
function hasItsSections(body: string): boolean {
  let at = body.indexOf(HEADING);
  for (const title of SECTIONS) {
    const start = at + HEADING.length;
    if (at === -1 || !body.startsWith(`${title}\n`, start)) return false;
    at = body.indexOf(HEADING, start + title.length);
  }
  return at === -1;
}

function isEachListedOnce({ performed, skipped, failed }: Report['checks']): boolean {
  return (
    performed.length + skipped.length + failed.length === deterministicChecks.length &&
    deterministicChecks.every((check) => performed.includes(check) || skipped.includes(check) || failed.includes(check))
  );
}

/** The status that the last outcome of a check gives. */
function statusOf({ checks }: Report['verification'], name: DeterministicCheck): CheckOutcome['status'] | undefined {
  return checks.findLast(({ check }) => check === name)?.status;
}

function doListsAgree({ performed, skipped, failed }: Report['checks'], verification: Report['verification']): boolean {
  return (
    performed.every((check) => statusOf(verification, check) === 'passed') &&
    skipped.every((check) => statusOf(verification, check) === 'skipped') &&
    failed.every((check) => statusOf(verification, check) === 'failed') &&
    verification.failed_checks.length === failed.length &&
    verification.failed_checks.every((check, at) => check === failed[at])
  );
}

function isSameSource(stated: SourceEntry | undefined, { ref, digest, origin }: EvidenceSource): boolean {
  return stated?.ref === ref && stated.digest === digest && stated.origin === origin;
}

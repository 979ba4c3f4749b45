import { z } from 'zod';
import { defineOperation } from '../../operation/operation.ts';
import { FindingStatus, Measured } from '../../work-check/contract.ts';
import { act, Done, Instant, inspect, Key, look, Reason } from './parts.ts';

/** How right the reports are, for operators. Pure. */

/** The errors of labelled cases, as `npm run check:cases` names them. */
export const caseErrors = [
  'wrong_number',
  'wrong_unit',
  'wrong_date',
  'name_swap',
  'role_swap',
  'negation',
  'omission',
  'wrong_attribution',
  'invented_citation',
  'overclaim',
  'arithmetic',
  'wrong_total',
  'personal_data',
  'length',
  'format',
  'scope',
  'outdated',
  'direction',
] as const;
const CaseError = z.enum(caseErrors);
export type CaseError = z.infer<typeof CaseError>;

const Week = z.object({
  from: Instant,
  reports: z.int(),
  verdicts: z.array(z.object({ value: z.string(), count: z.int() })),
  reviewed: z.int(),
  disputed: z.int(),
  rechecked: z.int(),
  /** Re-checks whose verdict differs from the disputed one. */
  corrected: z.int(),
});
export type Week = z.infer<typeof Week>;

export const consoleQuality = defineOperation({
  ...look,
  name: 'console_quality',
  summary: 'Read verdicts, disputes and corrections by week, judged findings, and the measured accuracy.',
  path: '/console/quality',
  input: z.strictObject({ weeks: z.coerce.number().int().min(1).max(26).default(8) }),
  output: z.object({
    weeks: z.array(Week),
    labels: z.array(z.object({ status: FindingStatus, right: z.int(), wrong: z.int() })),
    configuration: z.string(),
    measured: Measured.nullable(),
  }),
  problems: [],
});

export const openFindings = defineOperation({
  ...act,
  name: 'open_findings',
  summary: 'Give a reason to read findings with their work. They can then be judged for a while.',
  path: '/console/findings/open_findings',
  input: z.strictObject({ reason: Reason }),
  output: Done,
  problems: [],
});

const Judged = z.object({
  job_key: z.string(),
  report_number: z.int(),
  finding: z.int(),
  criterion: z.string(),
  status: FindingStatus,
  reason: z.string(),
  delivered_at: Instant,
  /** The statements of the work that the finding rests on: a few. */
  statements: z.array(z.object({ text: z.string(), status: z.string(), why: z.string() })),
  work: z.string(),
  evidence: z.array(z.object({ source: z.string(), text: z.string() })),
});
export type Judged = z.infer<typeof Judged>;

export const consoleFindings = defineOperation({
  ...inspect,
  name: 'console_findings',
  summary: 'List unjudged findings, newest reports first, after giving a reason.',
  path: '/console/findings',
  input: z.strictObject({}),
  output: z.object({ until: Instant, findings: z.array(Judged) }),
  problems: ['action_not_allowed'],
});

export const labelFinding = defineOperation({
  ...act,
  name: 'label_finding',
  summary: 'Judge whether a finding is right, and which error it found. A later judgement replaces an earlier one.',
  path: '/console/findings/{job_key}/label_finding',
  input: z.strictObject({
    job_key: Key,
    report_number: z.coerce.number().int().min(1),
    finding: z.coerce.number().int().min(0),
    label: z.enum(['right', 'wrong']),
    error: CaseError.nullable().default(null),
    reason: Reason.default('Judged beside the work'),
  }),
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const exportCases = defineOperation({
  ...inspect,
  name: 'export_cases',
  summary: 'Export judged findings as cases for `npm run check:cases`, after giving a reason. Counts what is left out.',
  path: '/console/findings/cases',
  input: z.strictObject({}),
  output: z.object({
    cases: z.array(z.record(z.string(), z.unknown())),
    left_out: z.int().meta({ description: 'Judged findings that give no pair of a correct and a wrong work.' }),
  }),
  problems: ['action_not_allowed'],
});

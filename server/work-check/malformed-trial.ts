import fc from 'fast-check';
import { embeddedAssessor } from './assessors/embedded.ts';
import { languageModelAssessor } from './assessors/language-model/assessor.ts';
import { checkWork } from './check.ts';
import { CheckRequest } from './contract.ts';
import { CheckFailure } from './failure.ts';
import { validateReport } from './validate-report.ts';

/** What became of a trial's inputs; any other outcome throws. */
export type Outcomes = { delivered: number; refused: number };

const now = new Date('2026-05-13T08:00:00Z');
const SEED = 20260721;

const request: CheckRequest = {
  work_product: 'The bridge is 312 metres long.',
  evidence: [{ source: 'Guide', text: 'The Aldwych bridge opened on 4 May 1932 and is 312 metres long.' }],
  criteria: ['Gives the length', 'Gives the year'],
};

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '| a |\n## Verdict',
    '</evidence>',
    '__proto__',
    'met',
    'supported',
    'evidence/0',
    '312 metres',
  ),
);
const oddNumber = fc.constantFrom(0, 1, 2, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER);
const status = fc.constantFrom(
  'supported',
  'contradicted',
  'not_found',
  'met',
  'missing',
  'partly_met',
  'not_assessable',
  'MET',
  '',
);
const quote = fc.record({ passage: fc.oneof(fc.constantFrom('p1', 'p2', 'P1', 'p99'), oddText), words: oddText });
/** What a model may say of one question; the id is put in when the question is known. */
const wellShaped = fc.record({
  quotes: fc.array(quote, { maxLength: 7 }),
  statements: fc.array(fc.oneof(fc.constantFrom('w1', 'w2', 'w0', 'w-1'), oddText), { maxLength: 7 }),
  claimed: fc.oneof(oddText, fc.constantFrom('312 metres', 'The bridge')),
  known: fc.oneof(oddText, fc.constantFrom('is 312 metres', '4 May 1932')),
  words: fc.oneof(oddText, fc.constantFrom('The bridge', '')),
  derivations: fc.array(
    fc.record({
      claimed: fc.oneof(oddText, fc.constantFrom('312 metres')),
      operands: fc.array(quote, { maxLength: 4 }),
      expression: fc.oneof(oddText, fc.constantFrom('a', 'a - b', 'sum(a, b)', 'days(a, b)', 'a / 0')),
    }),
    { maxLength: 3 },
  ),
  reason: oddText,
  sure: fc.boolean(),
});
const illShaped = fc.record(
  {
    quotes: fc.jsonValue({ maxDepth: 2 }),
    statements: fc.jsonValue({ maxDepth: 1 }),
    reason: fc.oneof(oddText, fc.jsonValue({ maxDepth: 1 })),
    status: fc.oneof(status, fc.jsonValue({ maxDepth: 1 })),
    sure: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);
/** Ids as a prompt names its questions, by which an answer is completed. */
type Asked = { statements: string[]; criteria: string[] };
export type Answering = (asked: Asked) => string;

const STATEMENT = ['supported', 'contradicted', 'changed', 'not_found', 'no_claim'];
const CRITERION = ['met', 'partly_met', 'missing', 'contradicted', 'not_assessable'];
const answering: fc.Arbitrary<Answering> = fc
  .tuple(fc.array(wellShaped, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }))
  .map(([said, picks]) => ({ statements, criteria }) => {
    const of = (ids: readonly string[], statuses: readonly string[]) =>
      ids.map((id, at) => ({
        ...said[at % said.length],
        id,
        status: statuses[(picks[at % picks.length] ?? 0) % statuses.length],
      }));
    return JSON.stringify({ statements: of(statements, STATEMENT), criteria: of(criteria, CRITERION) });
  });
const breaking: fc.Arbitrary<Answering> = fc.oneof(
  fc.array(illShaped, { maxLength: 4 }).map(
    (said): Answering =>
      ({ statements }) =>
        JSON.stringify({ statements: said.map((one, at) => ({ id: statements[at], ...one })), criteria: said }),
  ),
  fc.jsonValue().map(
    (value): Answering =>
      () =>
        JSON.stringify(value),
  ),
);
const answer: fc.Arbitrary<Answering> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: answering }, breaking), fc.nat(5), fc.nat())
  .map(([whole, way, at]) => (asked) => {
    const text = whole(asked);
    if (way === 0) return text.slice(0, at % (text.length + 1));
    if (way === 1) return `Here it is: ${text}`;
    return way === 2 ? text.replace(/true|false/, 'NaN') : text;
  });

/**
 * Lets the model at `url` give malformed answers, each way of answering handed to `say` before it is asked: each one ends in a valid
 * report or a failed delivery.
 */
export async function tryMalformedAnswers(
  runs: number,
  url: string,
  say: (answer: Answering) => void,
): Promise<Outcomes> {
  const model = {
    provider: 'compatible' as const,
    model: 'scripted',
    baseUrl: url,
    apiKey: 'sandbox',
    timeoutMs: 5_000,
    tokensMax: 400_000,
  };
  const assessor = languageModelAssessor([model]);
  const outcomes: Outcomes = { delivered: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(answer, async (content) => {
      say(content);
      await settle(() => checkWork(request, { assessor, now }), request, outcomes);
    }),
    { numRuns: runs, seed: SEED, endOnFailure: true },
  );
  return outcomes;
}

const anything = fc.oneof(oddText, oddNumber, fc.jsonValue({ maxDepth: 3 }), fc.constant(null));
const oddEvidence = fc.oneof(oddText, fc.record({ source: oddText, text: oddText }), anything);
/** Well shaped, with words nobody expects. */
const oddInput = fc.record(
  {
    work_product: fc.oneof(
      fc.lorem({ mode: 'sentences', maxCount: 3 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(fc.string(), fc.nat(), fc.boolean(), fc.constant(null))),
    ),
    evidence: fc.array(
      fc.oneof(fc.lorem(), fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constant('a | b\n1 | 2')),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    criteria: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { maxLength: 4 }),
    rubric: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }), fc.constant('- one\n- two')),
  },
  { requiredKeys: ['work_product', 'evidence'] },
);
const wildInput = fc.record(
  {
    work_product: fc.oneof(
      { weight: 3, arbitrary: oddText },
      fc.object({ maxDepth: 3, withNullPrototype: false }),
      anything,
    ),
    evidence: fc.oneof({ weight: 4, arbitrary: fc.array(oddEvidence, { minLength: 1, maxLength: 3 }) }, anything),
    request: fc.oneof(oddText, anything),
    criteria: fc.oneof(fc.array(fc.oneof(oddText, anything), { maxLength: 4 }), anything),
    rubric: anything,
    work_kind: fc.constantFrom('answer', 'summary', 'poem', 7),
    max_evidence_age_seconds: oddNumber,
    downstream_policy: fc.oneof(fc.constant({ human_approval_required: true }), anything),
  },
  { requiredKeys: ['work_product', 'evidence'] },
);

const input = fc.oneof(wildInput, oddInput);

/** Sends malformed requests: each one is refused by the contract or ends in a valid report. */
export async function tryMalformedInputs(runs: number): Promise<Outcomes> {
  const outcomes: Outcomes = { delivered: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(input, async (value) => {
      const parsed = CheckRequest.safeParse(value);
      if (!parsed.success) {
        outcomes.refused += 1;
        return;
      }
      await settle(() => checkWork(parsed.data, { assessor: embeddedAssessor, now }), parsed.data, outcomes);
    }),
    { numRuns: runs, seed: SEED, endOnFailure: true },
  );
  return outcomes;
}

async function settle(run: () => Promise<unknown>, about: CheckRequest, outcomes: Outcomes): Promise<void> {
  let report: unknown;
  try {
    report = await run();
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error;
    outcomes.refused += 1;
    return;
  }
  validateReport(report, about);
  outcomes.delivered += 1;
}

import type { Claim } from '../claims.ts';
import type { Verdict } from '../contract.ts';
import type { Entry } from '../entries.ts';
import { bestPassages, type EvidenceIndex, isHeld } from '../reading/evidence-index.ts';
import { splitSentences } from '../reading/sentences.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { rarity } from '../support/lexicon.ts';
import { supportModel } from '../support/model.ts';
import { type CriterionReading, type FormRule, readCriterion, type Scope } from './criteria.ts';
import { type Judged, judge, judgeWhole } from './judging.ts';
import type { AssessedFinding, Assessment, AssessmentTask, Assessor, Passage } from './port.ts';
import { clip, place, summarize } from './summary.ts';

/** A criterion's subject is in the work when a statement, or all of them together, hold this share of it. */
const TOPIC_FOUND = 0.34;
const TOPIC_SHARED = 0.6;
const NEAR_BEST = 0.6;
const LIMITATIONS: readonly string[] = [
  'Statements were compared with the evidence by words, figures, dates and names, in English; nothing was reasoned out, and of tables only cells, sums of whole columns and numbers of rows were checked.',
  `On data sets of kinds it was not trained on, score and rules told supported from unsupported statements with a balanced accuracy of ${supportModel.measured.balanced_accuracy}%; where it is not sure, it says so instead of deciding.`,
];
const RECHECK =
  'The re-check read the same material anew, by the same rules; the reason of the dispute and the wishes sent with it could not change how it was read.';

/** The assessor that calls no one: a learned support score for each statement, and rules that can only lower it. */
export const embeddedAssessor: Assessor = {
  method: 'embedded_assessment',
  assess: async (task) => assessEmbedded(task),
};

function assessEmbedded(task: AssessmentTask): Assessment {
  const judged = task.readings.map((reading, at) => {
    task.signal?.throwIfAborted();
    task.onProgress((at / task.readings.length) * 0.8);
    return judge(reading, task.evidence);
  });
  const whole = judgeWhole(judged, task);
  const findings: AssessedFinding[] = [];
  for (const [index, entry] of task.entries.entries()) {
    task.signal?.throwIfAborted();
    findings.push(answer(entry, judged, whole, task));
    task.onProgress(0.8 + ((index + 1) / task.entries.length) * 0.2);
  }
  const decided = judged.filter((claim) => claim.standing !== 'undecided').length;
  return {
    verdict: verdictOf(findings),
    findings,
    score: rounded(whole?.score ?? mean(judged.map(({ score }) => score))),
    confidence: rounded(judged.length === 0 ? 0 : decided / judged.length),
    limitations: task.correction === undefined ? LIMITATIONS : [...LIMITATIONS, RECHECK],
  };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (share: number): number => Math.round(share * 1e6) / 1e6;

function verdictOf(findings: readonly AssessedFinding[]): Verdict {
  const has = (status: AssessedFinding['status']): boolean => findings.some((finding) => finding.status === status);
  if (has('contradicted') || has('missing')) return 'revise';
  if (has('partly_met') || has('not_assessable')) return 'insufficient_evidence';
  return 'supported';
}

function answer(
  entry: Entry,
  judged: readonly Judged[],
  whole: Judged | undefined,
  task: AssessmentTask,
): AssessedFinding {
  if (entry.from === 'work') return answerWork(judged, whole, task.evidence);
  const reading = readCriterion(entry.label);
  switch (reading.kind) {
    case 'form':
      return answerForm(reading.rule, task);
    case 'faithful':
      return answerFaithful(entry, reading.scope, judged, task.evidence);
    case 'judgement':
      return {
        status: 'not_assessable',
        reason: 'This asks for a judgement that comparing words and figures cannot make. A person should look.',
        passages: [],
      };
    case 'content':
      return answerContent(entry, reading, judged, task);
    default:
      return reading satisfies never;
  }
}

function answerForm(rule: FormRule, task: AssessmentTask): AssessedFinding {
  const actual = countOf(rule.unit, task);
  const low = rule.min !== undefined && actual < rule.min;
  const high = rule.max !== undefined && actual > rule.max;
  const asked =
    rule.min === rule.max
      ? `exactly ${rule.min}`
      : rule.max === undefined
        ? `at least ${rule.min}`
        : `at most ${rule.max}`;
  return {
    status: low || high ? 'missing' : 'met',
    reason: `The work has ${actual} ${rule.unit}; ${asked} ${low || high ? 'were asked for' : 'asked for'}.`,
    passages: [],
  };
}

function countOf(unit: FormRule['unit'], { work }: AssessmentTask): number {
  switch (unit) {
    case 'words':
      return (work.plain.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,-]*/gu) ?? []).length;
    case 'characters':
      return [...work.plain].length;
    case 'sentences':
      return splitSentences(work.plain).length;
    case 'items':
      return work.items ?? (work.plain.match(/^\s*(?:[-*•]|\d+[.)])\s+\S/gmu) ?? []).length;
    default:
      return unit satisfies never;
  }
}

/** The work as a whole: as sound as its statements, and no sounder than it reads as one. */
function answerWork(judged: readonly Judged[], whole: Judged | undefined, index: EvidenceIndex): AssessedFinding {
  if (judged.length === 0 && whole === undefined)
    return { status: 'not_assessable', reason: 'The work makes no statement that could be checked.', passages: [] };
  if (whole === undefined) return summarize(judged, index);
  const finding = judged.length === 0 ? summarize([whole], index) : summarize(judged, index);
  switch (whole.standing) {
    case 'contradicted':
      return finding;
    case 'supported':
      return finding.status === 'met' || finding.status === 'contradicted'
        ? finding
        : { ...finding, status: judged.length > 1 ? finding.status : 'met' };
    case 'unsupported':
      return finding.status === 'contradicted'
        ? finding
        : {
            ...finding,
            status: 'missing',
            reason: `${finding.reason} Read as one, the evidence does not bear the work out.`,
          };
    case 'undecided':
      return finding.status === 'met'
        ? {
            ...finding,
            status: 'not_assessable',
            reason: `${finding.reason} Read as one, the work could not be decided.`,
          }
        : finding;
    default:
      return whole.standing satisfies never;
  }
}

function inScope(claim: Claim, scope: Scope): boolean {
  switch (scope) {
    case 'all':
      return true;
    case 'figures':
      return claim.quantities.length > 0;
    case 'dates':
      return claim.quantities.some((quantity) => quantity.kind === 'date' || quantity.kind === 'time');
    case 'names':
      return claim.tokens.some((token, at) => at > 0 && token.capital);
    default:
      return scope satisfies never;
  }
}

function answerFaithful(
  { label }: Entry,
  scope: Scope,
  judged: readonly Judged[],
  index: EvidenceIndex,
): AssessedFinding {
  const fields = fieldsNamed(label, judged);
  const looked = fields.length > 0 ? fields : judged.filter((claim) => inScope(claim.reading.claim, scope));
  if (looked.length === 0)
    return {
      status: 'not_assessable',
      reason: 'The work makes no statement that this could be checked on.',
      passages: [],
    };
  return summarize(looked, index);
}

/** The fields and columns that a criterion calls by name. */
function fieldsNamed(label: string, judged: readonly Judged[]): Judged[] {
  const named = new Set(tokenize(label).map(({ stem }) => stem));
  return judged.filter(({ reading: { claim } }) => {
    const column = tokenize(claim.record?.column ?? '').filter(isContent);
    return column.length > 0 && column.every(({ stem }) => named.has(stem));
  });
}

function answerContent(
  entry: Entry,
  { topic, figures, quoted }: Extract<CriterionReading, { kind: 'content' }>,
  judged: readonly Judged[],
  task: AssessmentTask,
): AssessedFinding {
  const absent = quoted.find((words) => !task.work.plain.toLowerCase().includes(words.toLowerCase()));
  if (absent !== undefined)
    return { status: 'missing', reason: `The work does not hold “${clip(absent)}”.`, passages: [] };
  const { relevant, unseen, together } = findTopic(topic, judged);
  if (relevant.length === 0 || (entry.from !== 'request' && together < TOPIC_SHARED)) {
    const touching = touchOn(topic, judged, task.evidence);
    if (touching !== undefined) return touching;
    const named = unseen.length > 0 ? ` Nothing in it speaks of ${wordsFor(unseen, entry.label)}.` : '';
    const passages = passagesOn(topic, task.evidence);
    const known = passages.length > 0 ? ' The evidence holds something on it.' : '';
    return { status: 'missing', reason: `The work does not answer this.${named}${known}`, passages };
  }
  if (entry.from === 'request') return summarize(judged, task.evidence);
  const holds = ({ reading }: Judged, kind: string): boolean =>
    reading.claim.quantities.some(
      (quantity) => quantity.kind === kind || (kind === 'date' && quantity.kind === 'time'),
    );
  const lacking = figures.find((kind) => !relevant.some((claim) => holds(claim, kind)));
  if (lacking !== undefined) {
    const word = { date: 'date', time: 'time', money: 'price or amount', percent: 'percentage', number: 'figure' }[
      lacking
    ];
    const passages = passagesOn(topic, task.evidence);
    return { status: 'missing', reason: `The work speaks of this but gives no ${word}.`, passages };
  }
  const stating = relevant.filter((claim) => figures.some((kind) => holds(claim, kind)));
  return summarize(stating.length > 0 ? stating : relevant, task.evidence);
}

/**
 * When the work speaks of all of a subject that the evidence knows by its words, other words of the criterion may be
 * names for the same: what is contradicted there is said, and the rest left to a person.
 */
function touchOn(
  topic: readonly string[],
  judged: readonly Judged[],
  index: EvidenceIndex,
): AssessedFinding | undefined {
  const known = topic.filter((stem) => isHeld(index, stem));
  if (known.length === 0 || known.length === topic.length) return undefined;
  const { relevant, together } = findTopic(known, judged);
  if (relevant.length === 0 || together < TOPIC_SHARED) return undefined;
  const finding = summarize(relevant, index);
  if (finding.status === 'contradicted') return finding;
  return {
    ...finding,
    status: 'not_assessable',
    reason: `Whether this is answered could not be told from the words of the work. ${finding.reason}`,
  };
}

/** The statements that share most of a criterion's subject, and what of the subject none of them mentions. */
function findTopic(
  topic: readonly string[],
  judged: readonly Judged[],
): { relevant: Judged[]; unseen: string[]; together: number } {
  const weight = (stems: readonly string[]): number => stems.reduce((sum, stem) => sum + rarity(stem), 0);
  const total = weight(topic);
  if (total === 0) return { relevant: [...judged], unseen: [], together: 1 };
  const seen = new Set<string>();
  const shares = judged.map((claim) => {
    const stems = new Set(claim.reading.claim.tokens.map((token) => token.stem));
    const shared = topic.filter((stem) => stems.has(stem));
    for (const stem of shared) seen.add(stem);
    return weight(shared) / total;
  });
  const best = Math.max(0, ...shares);
  const floor = Math.max(TOPIC_FOUND, best * NEAR_BEST);
  return {
    relevant: judged.filter((_, at) => (shares[at] ?? 0) >= floor),
    unseen: topic.filter((stem) => !seen.has(stem)),
    together: weight([...seen]) / total,
  };
}

function passagesOn(topic: string[], index: EvidenceIndex): Passage[] {
  const words = topic.map((stem) => ({ stem, weight: rarity(stem) }));
  return bestPassages(index, words, 1)
    .filter(({ coverage }) => coverage >= TOPIC_SHARED)
    .flatMap(({ passage }) => place(index, passage));
}

function wordsFor(stems: readonly string[], label: string): string {
  const words = tokenize(label).filter((token) => isContent(token) && stems.includes(token.stem));
  return [...new Set(words.map((token) => `“${label.slice(token.start, token.end)}”`))].slice(0, 4).join(', ');
}

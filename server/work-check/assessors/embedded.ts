import type { Claim } from '../claims.ts';
import type { Verdict } from '../contract.ts';
import type { ClaimReading, Fault } from '../contradictions.ts';
import type { Entry } from '../entries.ts';
import { bestPassages, type EvidenceIndex } from '../reading/evidence-index.ts';
import { splitSentences } from '../reading/sentences.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { type CriterionReading, type FormRule, readCriterion, type Scope } from './criteria.ts';
import type { AssessedFinding, Assessment, AssessmentTask, Assessor, Passage } from './port.ts';

type Standing = 'supported' | 'contradicted' | 'undecided';
type Judged = { reading: ClaimReading; standing: Standing };

/** A statement whose words are found to this share, with no fault, counts as borne out. */
const COVERED = 0.7;
/** A criterion's subject is in the work when a statement, or all of them together, hold this share of it. */
const TOPIC_FOUND = 0.34;
const TOPIC_SHARED = 0.6;
const NEAR_BEST = 0.6;
const PASSAGES_PER_FINDING = 5;
const STATEMENTS_QUOTED = 3;
const QUOTE_CHARS = 160;

/** The assessor that needs no model: it reads each statement of the work against the evidence by rules. */
export const embeddedAssessor: Assessor = {
  method: 'embedded_assessment',
  assess: async (task) => assessEmbedded(task),
};

function assessEmbedded(task: AssessmentTask): Assessment {
  const judged = task.readings.map((reading) => ({ reading, standing: standingOf(reading) }));
  const findings: AssessedFinding[] = [];
  for (const [index, entry] of task.entries.entries()) {
    task.signal?.throwIfAborted();
    findings.push(answer(entry, judged, task));
    task.onProgress((index + 1) / task.entries.length);
  }
  const supported = judged.filter((claim) => claim.standing === 'supported').length;
  const decided = judged.filter((claim) => claim.standing !== 'undecided').length;
  const share = (part: number): number => (judged.length === 0 ? 0 : Math.round((part / judged.length) * 1000) / 1000);
  return {
    verdict: verdictOf(findings),
    findings,
    score: share(supported),
    confidence: share(decided),
    limitations: [
      'Statements were compared with the evidence by words, figures, dates and names, in English; nothing was reasoned out.',
    ],
  };
}

function standingOf(reading: ClaimReading): Standing {
  if (reading.faults.some((fault) => fault.contradicts)) return 'contradicted';
  if (reading.claim.instruction || reading.faults.length > 0 || reading.coverage < COVERED) return 'undecided';
  return 'supported';
}

function verdictOf(findings: readonly AssessedFinding[]): Verdict {
  const has = (status: AssessedFinding['status']): boolean => findings.some((finding) => finding.status === status);
  if (has('contradicted') || has('missing')) return 'revise';
  if (has('partly_met') || has('not_assessable')) return 'insufficient_evidence';
  return 'supported';
}

function answer(entry: Entry, judged: readonly Judged[], task: AssessmentTask): AssessedFinding {
  if (entry.from === 'work') return answerFaithful('all', judged, task.evidence);
  const reading = readCriterion(entry.label);
  switch (reading.kind) {
    case 'form':
      return answerForm(reading.rule, task);
    case 'faithful':
      return answerFaithful(reading.scope, judged, task.evidence);
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

function answerFaithful(scope: Scope, judged: readonly Judged[], index: EvidenceIndex): AssessedFinding {
  const looked = judged.filter((claim) => inScope(claim.reading.claim, scope));
  if (looked.length === 0)
    return {
      status: 'not_assessable',
      reason: 'The work makes no statement that this could be checked on.',
      passages: [],
    };
  return summarize(looked, index);
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
  const { relevant, unseen, together } = findTopic(topic, judged, task.evidence);
  if (relevant.length === 0 || (entry.from !== 'request' && together < TOPIC_SHARED)) {
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

/** The statements that share most of a criterion's subject, and what of the subject none of them mentions. */
function findTopic(
  topic: readonly string[],
  judged: readonly Judged[],
  index: EvidenceIndex,
): { relevant: Judged[]; unseen: string[]; together: number } {
  const weight = (stems: readonly string[]): number => stems.reduce((sum, stem) => sum + index.weight(stem), 0);
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
  return bestPassages(index, topic, 1)
    .filter(({ coverage }) => coverage >= TOPIC_SHARED)
    .flatMap(({ passage }) => place(index, passage));
}

function wordsFor(stems: readonly string[], label: string): string {
  const words = tokenize(label).filter((token) => isContent(token) && stems.includes(token.stem));
  return [...new Set(words.map((token) => `“${label.slice(token.start, token.end)}”`))].slice(0, 4).join(', ');
}

/** One finding over several statements: contradicted ones first, then what the evidence does not hold. */
function summarize(looked: readonly Judged[], index: EvidenceIndex): AssessedFinding {
  const of = (standing: Standing): Judged[] => looked.filter((claim) => claim.standing === standing);
  const [contradicted, undecided, supported] = [of('contradicted'), of('undecided'), of('supported')];
  const parts: string[] = [];
  const passages: Passage[] = [];
  for (const { reading } of contradicted.slice(0, STATEMENTS_QUOTED)) {
    const fault = reading.faults.find((candidate) => candidate.contradicts);
    if (fault === undefined) continue;
    parts.push(contradictionText(reading.claim, fault, index));
    passages.push(...place(index, fault.passage));
  }
  for (const { reading } of undecided.slice(0, Math.max(0, STATEMENTS_QUOTED - contradicted.length)))
    parts.push(undecidedText(reading));
  for (const { reading } of supported.slice(0, PASSAGES_PER_FINDING))
    passages.push(...place(index, reading.matches[0]?.passage ?? -1));
  const tally = `Of ${looked.length} ${looked.length === 1 ? 'statement' : 'statements'} looked at, ${supported.length} ${supported.length === 1 ? 'agrees' : 'agree'} with the evidence, ${contradicted.length} ${contradicted.length === 1 ? 'contradicts' : 'contradict'} it and ${undecided.length} could not be decided.`;
  const status =
    contradicted.length > 0
      ? 'contradicted'
      : undecided.length === 0
        ? 'met'
        : supported.length > 0
          ? 'partly_met'
          : 'not_assessable';
  if (status === 'met') {
    const reading = supported[0]?.reading;
    if (reading !== undefined) parts.push(`The evidence bears out “${clip(reading.claim.text)}”.`);
  }
  return { status, reason: [...parts, tally].join(' '), passages: unique(passages).slice(0, PASSAGES_PER_FINDING) };
}

function contradictionText(claim: Claim, fault: Fault, index: EvidenceIndex): string {
  const source = index.sources[index.passages[fault.passage]?.source ?? -1]?.source ?? 'the evidence';
  const where = `The work says “${clip(claim.text)}” (${claim.at})`;
  if (fault.kind === 'negation')
    return `${where}; ${source} says the opposite: “${clip(fault.known)}”.`.replace('.”.', '.”');
  return `${where}; it gives ${fault.claimed} where ${source} gives ${fault.known}.`;
}

function undecidedText({ claim, faults, coverage }: ClaimReading): string {
  const where = `“${clip(claim.text)}” (${claim.at})`;
  if (claim.instruction) return `${where} reads as an instruction and counts for nothing.`;
  const fault = faults[0];
  if (fault !== undefined) return `${where}: ${fault.claimed} does not stand in the evidence for this.`;
  return coverage < 0.3
    ? `Nothing in the evidence speaks of ${where}.`
    : `The evidence only partly speaks of ${where}.`;
}

function place(index: EvidenceIndex, at: number): Passage[] {
  const passage = index.passages[at];
  const ref = passage === undefined ? undefined : index.sources[passage.source]?.ref;
  return passage === undefined || ref === undefined ? [] : [{ ref, start: passage.start, end: passage.end }];
}

function unique(passages: readonly Passage[]): Passage[] {
  const seen = new Map(passages.map((passage) => [`${passage.ref}:${passage.start}`, passage]));
  return [...seen.values()];
}

/** Cuts a quotation to a readable length. */
export function clip(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= QUOTE_CHARS ? flat : `${flat.slice(0, QUOTE_CHARS - 1).trimEnd()}…`;
}

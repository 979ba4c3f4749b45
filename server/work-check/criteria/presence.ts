import type { AssessedFinding, AssessmentTask, JudgedStatement } from '../assessors/port.ts';
import { isUnsettled } from '../assessors/port.ts';
import { bySuspicion, indexesOf, passagesOf, quoted, stillOpen, wrong } from '../assessors/summary.ts';
import { clip } from '../quoting.ts';
import { splitSentences } from '../reading/sentences.ts';
import { tokenize } from '../reading/tokens.ts';
import { type Concept, conceptsAsked, shows } from './concepts.ts';
import { foreignLanguage } from './language.ts';
import type { Kind, Reader } from './reader.ts';
import { notAssessable } from './reader.ts';
import { ABOUT, about, askedWords, shareOf, type Topic, topicOf } from './subject.ts';

/** How much of a criterion's subject the statements together must hold to have answered it. */
const TOGETHER = 0.6;
const SHOWN = 2;
/** Statements that share nearly as much of the subject as the best one answer beside it. */
const NEAR_BEST = 0.75;
/** What a word that asks for a kind of answer counts, beside one of the subject. */
const ASKED_COUNTS = 0.4;

/** "Nothing is announced that …", "present rules, not earlier ones": one statement that speaks of it does not answer. */
const EXCLUDES = /^(?:\w+ )?(?:nothing|no|none|never|only|nobody)\b|, (?:and )?(?:not|never|nothing)\b/i;

/** "Says when …", "who pays", "mentions …": what is asked for is looked for in the work beside its subject. */
const readPresence: Reader = (criterion, task) => {
  const { judged, work } = task;
  const words = [...criterion.matchAll(/["“]([^"”]{2,120})["”]/g)].map((match) => match[1] ?? '');
  const absent = words.find((one) => !work.plain.toLowerCase().includes(one.toLowerCase()));
  if (absent !== undefined)
    return { status: 'missing', counted: true, reason: `The work does not hold “${clip(absent)}”.`, passages: [] };
  const concepts = conceptsAsked(criterion);
  const topic = withoutWhole(topicOf(criterion), concepts, task);
  const lacking = concepts.find(
    ({ figure }) =>
      figure !== undefined &&
      !judged.some(({ statement }) => statement.quantities.some(({ kind }) => figure.includes(kind))),
  );
  if (lacking !== undefined && concepts.length === 1)
    return { status: 'missing', reason: `The work gives no figure that could be ${lacking.name}.`, passages: [] };
  const found =
    concepts.length > 0
      ? concepts.map((concept) => showing(concept, topic, askedWords(criterion), judged))
      : [aboutAll(topic, judged)];
  if (found.some((statements) => statements.length === 0) || (concepts.length === 0 && topic.length === 0))
    return untold(concepts, topic, task);
  const excludes = EXCLUDES.test(criterion);
  if (excludes && !concepts.some(({ telling }) => telling)) return untold(concepts, topic, task);
  return answer(found, judged, !excludes && asksToSay(criterion));
};

/** Statements that show a concept, beside the criterion's subject where there is one. */
function showing(
  concept: Concept,
  topic: readonly Topic[],
  asked: readonly Topic[],
  judged: readonly JudgedStatement[],
): JudgedStatement[] {
  const all = judged.filter(
    ({ statement, status }) => (status !== 'not_checked' || concept.telling) && shows(concept, statement),
  );
  const shares = all.map(({ statement }) => shareOf(topic, statement) + ASKED_COUNTS * shareOf(asked, statement));
  const best = Math.max(0, ...shares);
  if (!concept.telling && best > 0 && best < ABOUT) return [];
  if (best > 0) return all.filter((_, at) => (shares[at] ?? 0) >= best * NEAR_BEST);
  return concept.telling ? all.slice(0, SHOWN + 1) : [];
}

/** "The incident" of a request for an incident summary is what the whole work is about, and need not be named in it. */
function withoutWhole(topic: Topic[], concepts: readonly Concept[], { judged, request }: AssessmentTask): Topic[] {
  if (concepts.length === 0) return topic;
  const asked = new Set(tokenize(request).map(({ stem }) => stem));
  return topic.filter(
    (one) => !asked.has(one.token.stem) || judged.some(({ statement }) => shareOf([one], statement) > 0),
  );
}

function aboutAll(topic: readonly Topic[], judged: readonly JudgedStatement[]): JudgedStatement[] {
  const found = about(topic, judged);
  const held = topic.filter((one) => found.some(({ statement }) => shareOf([one], statement) > 0));
  const weight = (some: readonly Topic[]): number => some.reduce((sum, one) => sum + one.weight, 0);
  return weight(held) >= TOGETHER * weight(topic) ? found : [];
}

/** "The reply explains why …", "mentions the risk": a verb of saying opens it. */
const SAYS =
  /^(?:(?:the|an?|each|every|your|our) (?:[\p{L}'-]+ ){1,3})?(?:clearly |also |briefly )?(?:says?|states?|gives?|names?|explains?|mentions?|describes?|tells?|answers?|points? (?:out|to)|includes?|notes?|warns?)\b/iu;
/** "Says whether the alarm rang": one fact is the whole answer, and a wrong one is none. */
const ASKS_A_FACT =
  /\b(?:who|whom|whose|whether|how (?:many|much|long)|number of|which|when|until|(?:in (?:the|their|its|which)|the) order|what)\b/i;

/** Whether a criterion asks that something is said, so that it is met by saying it, proven or not. */
const asksToSay = (criterion: string): boolean => SAYS.test(criterion) && !ASKS_A_FACT.test(criterion);

/** Says where the work answers it; an answer that is contradicted, or on which sources differ, is none. */
function answer(
  asked: readonly (readonly JudgedStatement[])[],
  all: readonly JudgedStatement[],
  saidIsMet: boolean,
): AssessedFinding {
  const found = [...new Set(asked.flat())];
  const base = { passages: passagesOf(found), statements: indexesOf(found, all) };
  const contradicted = found.filter(({ status }) => status === 'contradicted');
  if (contradicted.length > 0)
    return {
      status: 'contradicted',
      reason: wrong(contradicted),
      ...base,
    };
  const disputed = found.find((one) => one.disputed === true);
  if (disputed !== undefined) return { status: 'not_assessable', reason: disputed.why, ...base };
  const open = bySuspicion(found.filter((one) => one.suspect > 0));
  if (open.length > 0 && open.length === found.length)
    return {
      status: 'partly_met',
      reason: `The work speaks of it. ${stillOpen(open)}`,
      names_open: true,
      ...base,
    };
  // For each thing that is asked for, the answer that is best borne out.
  const best = asked.flatMap((some) => [...some].sort((a, b) => weightOf(b) - weightOf(a)).slice(0, 1));
  const shown = [...new Set(best)].slice(0, SHOWN);
  if (shown.length === 0) return notAssessable('The work makes no statement that this could be checked on.');
  const unsettled = shown.filter(({ status }) => status !== 'supported');
  const told = shown.map((one) => `The work says ${quoted(one)}.${one.status === 'supported' ? ` ${one.why}` : ''}`);
  const what = shown.length > 1 ? 'all of it' : 'the answer';
  const note = saidIsMet
    ? ` That answers it; whether ${what} is right was not settled.`
    : ' Whether that answers it, and is right, was not settled.';
  // A long field answers many things; that all of it was not settled leaves this one open too.
  const long = unsettled.some(
    ({ statement }) => statement.record !== undefined && splitSentences(statement.text).length > 1,
  );
  return {
    status: unsettled.length > 0 && (long || !saidIsMet) ? 'partly_met' : 'met',
    reason: `${told.join(' ')}${unsettled.length === 0 ? '' : note}`,
    quoted: shown,
    ...base,
  };
}

const weightOf = ({ status, open }: JudgedStatement): number =>
  Number(status === 'supported') - Number(open.length > 0);

function untold(
  concepts: readonly Concept[],
  topic: readonly Topic[],
  { judged, work }: AssessmentTask,
): AssessedFinding {
  const language = foreignLanguage(work);
  const named = topic
    .filter((one) => !judged.some(({ statement }) => shareOf([one], statement) > 0))
    .map(({ token }) => `“${token.lower}”`);
  const asked = concepts.map(({ name }) => name);
  const unread =
    language !== undefined
      ? `By its letters the work is ${language}, and the rules read English: a person should read the work with this in mind.`
      : named.length > 0
        ? `No statement of the work holds ${named.slice(0, 3).join(', ')} or a word known to mean the same; a person should look whether it says so otherwise.`
        : asked.length > 0
          ? `Rules did not find ${asked.join(' and ')} beside what this is about; a person should look for it in the work.`
          : 'Rules cannot tell this from words alone; a person should read the work with it in mind.';
  // Whoever looks should begin with what is not borne out.
  const told = judged.filter(({ status }) => status === 'contradicted');
  const open = [...told, ...bySuspicion(judged.filter(({ status }) => isUnsettled(status)))];
  return { ...notAssessable(unread), statements: indexesOf(open, judged) };
}

export const presence: Kind = {
  name: 'presence',
  basis: 'content',
  said: true,
  decides: 'whether the work says what is asked: a date, a party, an amount, a reason, a condition, a comparison …',
  known: /./s,
  read: readPresence,
};

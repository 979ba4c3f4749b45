import type { AssessedFinding, JudgedStatement } from '../assessors/port.ts';
import { isUnsettled } from '../assessors/port.ts';
import { bySuspicion, indexesOf, passagesOf, stillOpen, summarize, tallyOf } from '../assessors/summary.ts';
import { clip } from '../quoting.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Kind, Reader } from './reader.ts';
import { notAssessable } from './reader.ts';
import { about, shareOf, type Topic, topicOf } from './subject.ts';

/** What an agreement is asked of: figures of some kind, or everything that is said. */
type Scope = { name: string; asked: RegExp; kinds: readonly Quantity['kind'][] };

const SCOPES: readonly Scope[] = [
  { name: 'percentages', asked: /\bpercent\w*|\brates?\b|\bshares?\b/i, kinds: ['percent'] },
  {
    name: 'dates and times',
    asked: /\b(?:dates?|times?|deadlines?|days?|weekdays?|when|hours?|clock)\b/i,
    kinds: ['date', 'time'],
  },
  {
    name: 'figures',
    asked:
      /\b(?:figures?|numbers?|amounts?|totals?|sums?|prices?|costs?|quantit\w+|counts?|values?|units?|calculat\w+|recalculat\w+|differences?|doses?|dosing|points|readings?|scores?|add up|worked out|periods?)\b/i,
    kinds: ['number', 'percent', 'money'],
  },
];

/** A field that says in what the figure beside it is counted. */
const MEASURED_IN = /\b(?:currency|units?)\b/i;

const FIGURES_SHOWN = 3;

/** Whether some statement holds most of a topic, and not merely a word of it. */
const isAbout = (topic: readonly Topic[], named: readonly JudgedStatement[]): boolean =>
  named.length >= NAMED_MIN && named.some(({ statement }) => shareOf(topic, statement) >= MOST_OF_TOPIC);

const NAMED_MIN = 2;
const MOST_OF_TOPIC = 0.6;

/** "Every date", "all figures": none is passed over. */
const WHOLE =
  /\b(?:every|each|all|any)\s+(?:\w+\s+)?(?:figures?|numbers?|amounts?|totals?|sums?|prices?|costs?|values?|dates?|times?|units?|quantit\w+|percentages?)\b/i;

/** "All figures match": every statement in its scope against the evidence and against itself. */
export const readAgreement: Reader = (criterion, { judged }) => {
  const scopes = SCOPES.filter(({ asked }) => asked.test(criterion));
  const topic = topicOf(criterion);
  const named = about(topic, judged);
  const scoped = judged.filter(
    ({ statement }) =>
      scopes.length === 0 ||
      statement.quantities.some(({ kind }) => scopes.some(({ kinds }) => kinds.includes(kind))) ||
      (MEASURED_IN.test(statement.record?.column ?? '') && scopes.some(({ kinds }) => kinds.includes('number'))),
  );
  // "Votes are recorded correctly" asks of what is said about votes.
  const whole = scopes.length > 0 && WHOLE.test(criterion);
  const looked =
    !whole && (scopes.length > 0 ? named.length > 1 : isAbout(topic, named))
      ? scoped.filter((one) => named.includes(one))
      : scoped;
  const seen = looked.length > 0 ? looked : scoped;
  const contradicted = judged.filter(
    ({ status, statement }) =>
      status === 'contradicted' &&
      (scopes.length === 0 ||
        seen.some((one) => one.statement === statement) ||
        scoped.some((one) => one.statement === statement)),
  );
  const checkable = seen.filter(({ status }) => status !== 'not_checked');
  if (contradicted.length > 0) return summarize([...new Set([...contradicted, ...checkable])], judged);
  if (checkable.length === 0) return notAssessable('The work makes no statement that this could be checked on.');
  return scopes.length > 0 ? onFigures(scopes, checkable, judged) : onStatements(checkable, judged);
};

/** Figures agree when each stands in the evidence beside its subject, or follows from others. */
function onFigures(
  scopes: readonly Scope[],
  seen: readonly JudgedStatement[],
  all: readonly JudgedStatement[],
): AssessedFinding {
  const unsettled = bySuspicion(seen.filter(({ status }) => isUnsettled(status)));
  const accounted = seen.flatMap((one) => one.accounted);
  const base = { passages: passagesOf(seen), statements: indexesOf(seen, all) };
  if (unsettled.length > 0)
    return {
      status: seen.some(({ status }) => status === 'supported') ? 'partly_met' : 'not_assessable',
      reason: `${tallyOf(seen)} ${stillOpen(unsettled)}`,
      names_open: true,
      ...base,
    };
  if (accounted.length === 0) return { ...summarize(seen, all), ...base };
  const name = scopes.map((scope) => scope.name).join(' and ');
  const shown = [...new Set(accounted)]
    .slice(0, FIGURES_SHOWN)
    .map((text) => `“${clip(text)}”`)
    .join(', ');
  const computed = seen.find((one) => one.computed !== undefined)?.computed;
  const worked = computed === undefined ? '' : ` Worked out again: ${computed}.`;
  return {
    status: 'met',
    reason: `Of the ${name} looked at (${shown}${accounted.length > FIGURES_SHOWN ? ' …' : ''}), each stands in the evidence or follows from other figures.${worked}`,
    ...base,
  };
}

/** How many of the statements must be borne out before what is left open no longer decides. */
const BORNE_OUT = 0.6;

function onStatements(seen: readonly JudgedStatement[], all: readonly JudgedStatement[]): AssessedFinding {
  const summary = summarize(seen, all);
  const supported = seen.filter(({ status }) => status === 'supported').length;
  const doubtful = seen.some(
    ({ status, suspect, disputed }) => isUnsettled(status) && (suspect > 0 || disputed === true),
  );
  if (summary.status !== 'partly_met' || doubtful || supported / seen.length < BORNE_OUT) return summary;
  const open = bySuspicion(seen.filter((one) => isUnsettled(one.status)));
  return {
    ...summary,
    status: 'met',
    reason: `No statement is contradicted. ${tallyOf(seen)} ${stillOpen(open, 'Left open')}`,
  };
}

export const agreement: Kind = {
  name: 'agreement',
  basis: 'statements',
  decides: 'whether figures, dates, names and statements agree with the evidence and with each other',
  known:
    /\b(?:match\w*|units|agree(?:s|ing|ment)?|correct(?:ly|ness)?(?!s? the\b)|accurate\w*|accuracy|right|true to|consistent|faithful\w*|(?<!\b(?:customer|technical|it|user) )support(?:ed|s)?(?! (?:team|staff|desk|got|gets|received|has|had|is|was|tickets?|agents?|e-?mail|phone|line|hours|contact|channels?|plan))|ground(?:ed|s)?|back(?:ed|s)? (?:up|by)|trac(?:e|ed|eable)|as (?:in|on (?:the|our)|printed|stated|written|catalogued|announced|agreed|ordered|described|set out|laid down|decided|assigned|the \w+ (?:says?|has|have|gives?) it)|(?:the|its|their) \w+ assigned to|exactly as|in line with|contradict\w*|follow(?:s|ed)? (?:the|from|our)|rests? on|worked out|recalculated|recomputed|add(?:s)? up|fit together|calculated|come(?:s)? out|latest|(?:new(?:er)?|later|amended|current) (?:\w+ )?(?:counts?|applies|apply|prevails?|takes? precedence)|amend\w+|takes? precedence|up to date|current|today's|what the (?:applicant|evidence|source|data|results?)|evidence|verif\w+|factual\w*|digit for digit|brought up to date|fulfils?|(?<!\b(?:when|where|who|why|how often)\b.{0,40})meets? (?:the|our|its|their|all|every|each|any|these|those)\b|relies on|gets right|never mixed up|only what|are what|under our|by (?:our|the) rules?|follow(?:s)? our|are those (?:on|in|of)|whoever|compl(?:y|ies)|no more \w+ than)\b/i,
  read: readAgreement,
};

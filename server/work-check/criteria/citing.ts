import type { AssessedFinding, AssessmentTask } from '../assessors/port.ts';
import { indexesOf } from '../assessors/summary.ts';
import { turnsOf, wrongSpeakerOf } from '../engines/dialogue.ts';
import { clip } from '../quoting.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { leadNowhere, type Marker, nowhere, readCitations } from './markers.ts';
import { readQuotations } from './quotations.ts';
import { type Kind, notAssessable, type Reader } from './reader.ts';
import { sourcedStatements } from './sourced.ts';

const SHOWN = 3;
/** Characters before and behind a quotation in which its speaker is named. */
const AROUND = 60;
/** "Only sources we handed over", "cited sources exist", "bracketed numbers lead to an entry": markers must lead somewhere. */
const LEADS =
  /\b(?:only (?:sources|the sources|what)|exist|resolve\w*|lead to|invented|made up|handed over|supplied|real|genuine|valid|match an entry|in the list)\b/i;

/** Citations inside the work: that each leads somewhere, and that each statement carries one where that is asked. */
const readCiting: Reader = (criterion, task) => {
  const { work, evidence, request, judged } = task;
  const citations = readCitations(work, evidence.sources, request);
  if (UNWANTED.test(criterion)) return undefined;
  const lost = leadNowhere(citations);
  const unlisted = numbersUnlisted(
    work.value,
    citations.references.map(({ key }) => key),
  );
  if (unlisted.length > 0)
    return {
      status: 'contradicted',
      counted: true,
      reason: `${unlisted
        .slice(0, SHOWN)
        .map(({ words, key }) => `“${words}” cites ${key}, but the work's own list has no entry [${key}].`)
        .join(' ')}`,
      passages: [],
    };
  if (lost.length > 0)
    return {
      status: 'contradicted',
      counted: true,
      reason: lost
        .slice(0, SHOWN)
        .map((marker) => nowhere(marker, evidence.sources.length))
        .join(' '),
      passages: [],
      statements: holding(lost, task),
    };
  if (LEADS.test(criterion)) {
    if (citations.markers.length === 0) return notAssessable('The work holds no marker by which a source is cited.');
    return {
      status: 'met',
      reason: `Each of the ${citations.markers.length} places where the work names a source leads to one of the sources or to its own list of references.`,
      passages: [],
      statements: holding(citations.markers, task),
    };
  }
  const strayed = citedElsewhere(citations.markers, task);
  if (strayed !== undefined) return strayed;
  const checkable = judged.filter(({ status }) => status !== 'not_checked');
  const sourced = new Set(
    sourcedStatements(work, citations, evidence.sources).flatMap(({ by, statement }) =>
      by === 'nothing' ? [] : [statement],
    ),
  );
  const bare = checkable.filter(
    (one) => !sourced.has(judged.indexOf(one)) && !citations.markers.some((marker) => isWithin(marker, one.statement)),
  );
  if (citations.markers.length === 0 && bare.length === checkable.length)
    return { status: 'missing', reason: 'The work holds no marker by which a source is cited.', passages: [] };
  if (bare.length === 0)
    return {
      status: 'met',
      reason: `Each of the ${checkable.length} statements of the work names its source.`,
      passages: [],
      statements: indexesOf(checkable, judged),
    };
  const quoted = bare
    .slice(0, SHOWN)
    .map(({ statement }) => `“${clip(statement.text)}” (${statement.at})`)
    .join(', ');
  return {
    status: 'partly_met',
    reason: `Of ${checkable.length} statements, ${checkable.length - bare.length} name their source; ${quoted} ${bare.length === 1 ? 'does' : 'do'} not.`,
    passages: [],
    statements: indexesOf(bare, judged),
  };
};

/** What a cited source must lack of a statement's words before the statement is said to stand elsewhere. */
const LACKS = 0.5;

/** A statement whose words stand in another source than the one that its marker leads to. */
function citedElsewhere(markers: readonly Marker[], task: AssessmentTask): AssessedFinding | undefined {
  const { judged, evidence } = task;
  for (const one of judged) {
    const [passage] = one.passages;
    const home = evidence.sources.findIndex(({ ref }) => ref === passage?.ref);
    const own = markers.filter((marker) => isWithin(marker, one.statement));
    const cited = own.flatMap(({ lead }) => (lead?.to === 'source' || lead?.to === 'words' ? [lead.source] : []));
    const [first] = cited;
    if (one.status !== 'supported' || passage === undefined || home === -1 || first === undefined) continue;
    if (
      cited.length !== own.length ||
      one.passages.some(({ ref }) => cited.some((at) => evidence.sources[at]?.ref === ref))
    )
      continue;
    const words = one.statement.tokens.filter((token) => isContent(token) && token.kind === 'word');
    const held = (at: number): number => {
      const known = new Set(tokenize(evidence.sources[at]?.text ?? '').map((token) => token.stem));
      return words.filter((token) => known.has(token.stem)).length / Math.max(1, words.length);
    };
    if (cited.some((at) => held(at) > LACKS) || held(home) <= LACKS) continue;
    return {
      status: 'contradicted',
      reason: `“${clip(one.statement.text)}” (${one.statement.at}) cites ${own.map(({ words: mark }) => mark).join(' ')}, which leads to ${evidence.sources[first]?.source ?? ''}; it stands in ${evidence.sources[home]?.source ?? ''}.`,
      passages: [passage],
      statements: indexesOf([one], judged),
    };
  }
  return undefined;
}

const UNWANTED = /\b(?:no|without|free of) (?:\w+ ){0,2}(?:references?|citations?|footnotes?)\b/i;

/** Numbers in a marker such as "[4, 6]" that the work's own numbered list does not hold. */
function numbersUnlisted(value: unknown, listed: readonly string[]): { words: string; key: string }[] {
  if (typeof value !== 'string' || listed.filter((key) => /^\d+$/.test(key)).length < 2) return [];
  return [...value.matchAll(/\[(\d{1,2}(?:\s*[,;]\s*\d{1,2})+)\]/g)].flatMap((match) =>
    (match[1] ?? '').split(/\s*[,;]\s*/).flatMap((key) => (listed.includes(key) ? [] : [{ words: match[0], key }])),
  );
}

function isWithin({ start, end, at }: Marker, { place, at: field }: Statement): boolean {
  if ('path' in place) return at === field;
  // A marker may stand behind the full stop.
  return at === undefined && start >= place.start && end <= place.end + 12;
}

function holding(markers: readonly Marker[], { judged }: AssessmentTask): number[] {
  return judged.flatMap(({ statement }, at) => (markers.some((marker) => isWithin(marker, statement)) ? [at] : []));
}

export const citing: Kind = {
  name: 'citation',
  basis: 'content',
  marks: true,
  decides: 'whether each cited source exists, and whether statements name theirs',
  known:
    /\b(?:cit(?:e|es|ed|ing|ation|ations)|references?|bracketed|footnotes?|says? where (?:it|they|that) (?:comes?|is|are) from|names? (?:its|their|the) sources?|with (?:its|their) sources?|sources? (?:is|are) (?:named|given)|attribut\w+|source marked|(?:carr(?:y|ies)|bears?|has|have|gets?|ends? with) the (?:number|name|mark)s? of (?:an?|the|its|their|each) \w+|(?:number|name) of the \w+ (?:behind|after|beside) (?:it|them|each|every))\b/i,
  read: readCiting,
};

/** The first quotation that the evidence gives to another speaker. */
function spokenByAnother(
  quotations: ReturnType<typeof readQuotations>,
  { value }: AssessmentTask['work'],
  evidence: AssessmentTask['evidence'],
): AssessedFinding | undefined {
  const turns = turnsOf(evidence);
  for (const { words, start, end, at } of quotations) {
    if (at !== undefined || typeof value !== 'string') continue;
    const [before, after] = [value.slice(Math.max(0, start - AROUND), start), value.slice(end, end + AROUND)];
    const person = wrongSpeakerOf(words, before, after, turns);
    const turn = person?.turns[0];
    if (person === undefined || turn === undefined) continue;
    const { ref = '', source = '' } = evidence.sources[turn.source] ?? {};
    return {
      status: 'contradicted',
      reason: `The work gives “${clip(words)}” to ${person.claimed}; in ${source} it is said by ${person.known}.`,
      passages: [{ ref, start: turn.start, end: turn.end }],
    };
  }
  return undefined;
}

/** Words in quotation marks that somebody is said to have used: each must stand in a source. */
const readQuoting: Reader = (_, { work, evidence, request }) => {
  const quotations = readQuotations(work, evidence.sources, [request]);
  if (quotations.length === 0) return notAssessable('The work quotes nobody.');
  const wrong = quotations.filter(({ claimed, found, given }) => claimed && found === undefined && !given);
  const misattributed = spokenByAnother(quotations, work, evidence);
  if (misattributed !== undefined) return misattributed;
  if (wrong.length > 0)
    return {
      status: 'contradicted',
      counted: true,
      reason: `${wrong
        .slice(0, SHOWN)
        .map(({ words }) => `“${clip(words)}”`)
        .join(', ')} ${wrong.length === 1 ? 'stands' : 'stand'} nowhere in the evidence in these words.`,
      passages: [],
    };
  const found = quotations.filter((one) => one.found !== undefined);
  const elsewhere = quotations.filter((one) => one.found === undefined && !one.given);
  if (found.length > 0 && elsewhere.length > 0)
    return {
      status: 'partly_met',
      reason: `${found.length} of ${quotations.length} quotations of the work stand word for word in the evidence; ${elsewhere
        .slice(0, SHOWN)
        .map(({ words }) => `“${clip(words)}”`)
        .join(
          ', ',
        )} ${elsewhere.length === 1 ? 'does' : 'do'} not. Whether that is meant as a quotation, a person should say.`,
      passages: [],
    };
  if (found.length === 0) return notAssessable('No quotation of the work was found word for word in the evidence.');
  return {
    status: 'met',
    reason: `${found.length === 1 ? 'The quotation' : `Each of ${found.length} quotations`} of the work stands word for word in the evidence, such as “${clip(found[0]?.words ?? '')}”.`,
    passages: found.slice(0, 5).flatMap(({ found: place }) => {
      const ref = evidence.sources[place?.source ?? -1]?.ref;
      return place === undefined || ref === undefined ? [] : [{ ref, start: place.start, end: place.end }];
    }),
  };
};

export const quoting: Kind = {
  name: 'quotation',
  basis: 'content',
  decides: 'whether quoted words stand word for word in the evidence, under the name of who said them',
  known: /\b(?:quot(?:e|es|ed|ation|ations)\b(?! (?:are|is) (?:those|the))|verbatim|word for word|exact words)\b/i,
  read: readQuoting,
};

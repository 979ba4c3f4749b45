import { indexesOf } from '../assessors/summary.ts';
import type { AssessmentTask } from '../assessors/port.ts';
import { clip } from '../quoting.ts';
import type { Statement } from '../statements.ts';
import { leadNowhere, type Marker, nowhere, readCitations } from './markers.ts';
import { readQuotations } from './quotations.ts';
import { type Kind, notAssessable, type Reader } from './reader.ts';

const SHOWN = 3;
/** "Only sources we handed over", "cited sources exist", "bracketed numbers lead to an entry": markers must lead somewhere. */
const LEADS = /\b(?:only (?:sources|the sources|what)|exist|resolve\w*|lead to|invented|made up|handed over|supplied|real|genuine|valid|match an entry|in the list)\b/i;

/** Citations inside the work: that each leads somewhere, and that each statement carries one where that is asked. */
const readCiting: Reader = (criterion, task) => {
  const { work, evidence, request, judged } = task;
  const citations = readCitations(work, evidence.sources, request);
  const lost = leadNowhere(citations);
  if (lost.length > 0)
    return { status: 'contradicted', reason: lost.slice(0, SHOWN).map((marker) => nowhere(marker, evidence.sources.length)).join(' '), passages: [], statements: holding(lost, task) };
  if (LEADS.test(criterion)) {
    if (citations.markers.length === 0) return notAssessable('The work holds no marker by which a source is cited.');
    return { status: 'met', reason: `Each of the ${citations.markers.length} places where the work names a source leads to one of the sources or to its own list of references.`, passages: [], statements: holding(citations.markers, task) };
  }
  const checkable = judged.filter(({ status }) => status !== 'not_checked');
  const bare = checkable.filter(({ statement }) => !citations.markers.some((marker) => isWithin(marker, statement)));
  if (citations.markers.length === 0) return { status: 'missing', reason: 'The work holds no marker by which a source is cited.', passages: [] };
  if (bare.length === 0) return { status: 'met', reason: `Each of the ${checkable.length} statements of the work names its source.`, passages: [], statements: indexesOf(checkable, judged) };
  const quoted = bare.slice(0, SHOWN).map(({ statement }) => `“${clip(statement.text)}” (${statement.at})`).join(', ');
  return { status: 'partly_met', reason: `Of ${checkable.length} statements, ${checkable.length - bare.length} name their source; ${quoted} ${bare.length === 1 ? 'does' : 'do'} not.`, passages: [], statements: indexesOf(bare, judged) };
};

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
  decides: 'whether each cited source exists, and whether statements name theirs',
  known: /\b(?:cit(?:e|es|ed|ing|ation|ations)|references?|bracketed|footnotes?|says? where (?:it|they|that) (?:comes?|is|are) from|names? (?:its|their|the) sources?|with (?:its|their) sources?|sources? (?:is|are) (?:named|given)|attribut\w+|source marked)\b/i,
  read: readCiting,
};

/** Words in quotation marks that somebody is said to have used: each must stand in a source. */
const readQuoting: Reader = (_, { work, evidence, request, judged }) => {
  const quotations = readQuotations(work, evidence.sources, [request]);
  if (quotations.length === 0) return notAssessable('The work quotes nobody.');
  const wrong = quotations.filter(({ claimed, found, given }) => claimed && found === undefined && !given);
  const misnamed = judged.filter(({ status, why }) => status === 'contradicted' && /: it is |it is \S+, not /.test(why));
  if (misnamed.length > 0) return { status: 'contradicted', reason: misnamed.slice(0, SHOWN).map(({ why }) => why).join(' '), passages: misnamed.flatMap(({ passages }) => passages), statements: indexesOf(misnamed, judged) };
  if (wrong.length > 0) return { status: 'contradicted', reason: `${wrong.slice(0, SHOWN).map(({ words }) => `“${clip(words)}”`).join(', ')} ${wrong.length === 1 ? 'stands' : 'stand'} nowhere in the evidence in these words.`, passages: [] };
  const found = quotations.filter((one) => one.found !== undefined);
  if (found.length === 0) return notAssessable('No quotation of the work was found word for word in the evidence.');
  return {
    status: 'met',
    reason: `${found.length === 1 ? 'The quotation' : `Each of ${found.length} quotations`} of the work stands word for word in the evidence, such as “${clip(found[0]?.words ?? '')}”.`,
    passages: found.slice(0, 5).flatMap(({ found: place }) => { const ref = evidence.sources[place?.source ?? -1]?.ref; return place === undefined || ref === undefined ? [] : [{ ref, start: place.start, end: place.end }]; }),
  };
};

export const quoting: Kind = {
  name: 'quotation',
  decides: 'whether quoted words stand word for word in the evidence, under the name of who said them',
  known: /\b(?:quot(?:e|es|ed|ation|ations)\b(?! (?:are|is) (?:those|the))|verbatim|word for word|exact words)\b/i,
  read: readQuoting,
};

import { judgeStatements } from '../../judge/judge-statements.ts';
import type { EvidenceIndex } from '../../reading/evidence-index.ts';
import { readWork } from '../../statements.ts';
import type { Passage } from '../port.ts';
import type { Chance } from './chance.ts';

/**
 * Statements with known answers, asked among those of the work: a sentence of the evidence as it stands, another with one
 * fact changed, and two that turn round what a source of our own says. A model that calls the changed ones supported would
 * call anything so that holds the right words.
 */
export type Control = { text: string; isTrue: boolean };

/** The source of our own: what it says, and the same words in other roles, order or degree. It is never cited. */
const OWN: readonly (readonly [says: string, turned: string])[] = [
  ['Ilse Varga lent the boat to Oskar Lindqvist.', 'Oskar Lindqvist lent the boat to Ilse Varga.'],
  ['Petra Holm paid Jonas Eide for the rope.', 'Jonas Eide paid Petra Holm for the rope.'],
  ['The cook must tell the bosun of any leak.', 'The bosun must tell the cook of any leak.'],
  ['The mast was painted before the sails were mended.', 'The mast was painted after the sails were mended.'],
  ['The lantern is brighter than the beacon.', 'The beacon is brighter than the lantern.'],
  [
    'The harbour master says that the buoy drifted in May, the pilot says in June.',
    'The pilot says that the buoy drifted in May.',
  ],
  ['The north pier closes at dusk and the south pier at midnight.', 'The north pier closes at midnight.'],
  ['Some of the oars were varnished; most were left plain.', 'Most of the oars were varnished.'],
];
export const OWN_SOURCE = 'Harbour book';
const OWN_ASKED = 2;

/** Chosen anew for each check. */
export type OwnControl = (typeof OWN)[number];
export const pickOwnControls = (chance: Chance): readonly OwnControl[] => chance.shuffled(OWN).slice(0, OWN.length / 2);

const TEXT_CHARS_MIN = 25;
const TEXT_CHARS_MAX = 300;
/** Headings, questions and cells are left alone: whether they claim anything is a matter of taste. */
const SENTENCE = /^[\p{Lu}\d].*\p{Ll}\s+\p{Ll}.*[.!]["”)]?$/su;
const TRIES = 12;
/** Statements about nothing that a buyer's evidence speaks of; each with a word that must not stand there. */
const UNHEARD: readonly (readonly [string, string])[] = [
  ['The keeper of the Corran lighthouse owned two grey parrots.', 'parrot'],
  ['The last harpsichord of the Vellano workshop was sold to a baker.', 'harpsichord'],
  ['The glacier above Ostervik retreated behind the old chapel.', 'glacier'],
];
const UNHEARD_CRITERIA: readonly (readonly [string, string])[] = [
  ['Names the lighthouse keeper and says how many parrots the keeper owned', 'parrot'],
  ['Says to whom the last harpsichord of the workshop was sold', 'harpsichord'],
  ['Says how far the glacier retreated', 'glacier'],
];

/** What a model was shown: passages of the evidence, and what our own source says. */
type Known = { passages: ReadonlyMap<string, Passage>; own: readonly OwnControl[] };

/** Controls for one call: a true one where the evidence has a sentence for it, a changed one of it, and two of our own. */
export function controlStatements({ passages, own }: Known, evidence: EvidenceIndex, chance: Chance): Control[] {
  const texts = chance
    .shuffled([...passages.values()])
    .map((passage) => textOf(passage, evidence))
    .filter((text) => text.length >= TEXT_CHARS_MIN && text.length <= TEXT_CHARS_MAX && SENTENCE.test(text.trim()))
    .slice(0, TRIES);
  const controls: Control[] = [];
  const held = texts.find((text) => statusByRules(text, evidence) === 'supported');
  if (held !== undefined) controls.push({ text: held, isTrue: true });
  // No denial is put in or taken away: of a passage that another one withdraws it would be true.
  const changed = chance
    .shuffled([withOtherFigure, withOtherMonth])
    .flatMap((change) => texts.flatMap((text) => change(text, evidence) ?? []))
    .find((text) => statusByRules(text, evidence) !== 'supported');
  controls.push({ text: changed ?? unheard(UNHEARD, evidence, chance), isTrue: false });
  for (const [, turned] of chance.shuffled(own).slice(0, OWN_ASKED)) controls.push({ text: turned, isTrue: false });
  return controls;
}

/** A criterion that no work does which speaks of other things. */
export function controlCriterion(evidence: EvidenceIndex, work: string, chance: Chance): string {
  return unheard(UNHEARD_CRITERIA, evidence, chance, work);
}

function unheard(list: typeof UNHEARD, evidence: EvidenceIndex, chance: Chance, work = ''): string {
  const known = `${work} ${evidence.sources.map(({ text }) => text).join(' ')}`.toLowerCase();
  const usable = list.filter(([, word]) => !known.includes(word));
  return (usable[chance.below(Math.max(1, usable.length))] ?? list[0])?.[0] ?? '';
}

function textOf({ ref, start, end }: Passage, { sources }: EvidenceIndex): string {
  return sources.find((source) => source.ref === ref)?.text.slice(start, end) ?? '';
}

/** A first whole figure replaced by one that stands nowhere in the evidence. */
function withOtherFigure(text: string, { sources }: EvidenceIndex): string | undefined {
  const found = /(?<![\d.,:/-])\d{1,6}(?![\d:/-]|[.,]\d|[.)]\s|st\b|nd\b|rd\b|th\b|\.?\s+\p{Lu}\p{Ll}{2})/u.exec(text);
  if (found === null) return undefined;
  const value = Number(found[0]);
  for (const factor of [1.6, 2.3, 3.1]) {
    const other = String(Math.round(value * factor) + 2);
    if (!sources.some((source) => source.text.includes(other)))
      return text.slice(0, found.index) + other + text.slice(found.index + found[0].length);
  }
  return undefined;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** A first month replaced by one that stands nowhere in the evidence. */
function withOtherMonth(text: string, { sources }: EvidenceIndex): string | undefined {
  const found = MONTHS.find((month) => new RegExp(`\\b${month}\\b`).test(text));
  const other = MONTHS.find((month) => !sources.some((source) => source.text.includes(month.slice(0, 3))));
  return found === undefined || other === undefined ? undefined : text.replace(found, other);
}

function statusByRules(text: string, evidence: EvidenceIndex): string | undefined {
  const work = readWork(text);
  const { judged } = judgeStatements(work, evidence, undefined, () => {});
  return judged.length === 1 ? judged[0]?.status : undefined;
}

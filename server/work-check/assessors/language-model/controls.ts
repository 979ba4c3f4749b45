import { randomInt } from 'node:crypto';
import { judgeStatements } from '../../judge.ts';
import { type EvidenceIndex, passageText } from '../../reading/evidence-index.ts';
import { readWork } from '../../statements.ts';
import type { Passage } from '../port.ts';
import type { Material } from './material.ts';

/**
 * Statements with known answers, asked among those of the work: a sentence of the evidence as it stands, the same with one
 * fact changed, and one about something else. A model that calls the changed ones supported would call anything so.
 */
export type Control = { text: string; isTrue: boolean };

const TEXT_CHARS_MIN = 25;
const TEXT_CHARS_MAX = 300;
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

/** Controls for one call, in no order: at most two false ones and a true one. */
export function controlStatements(material: Material, evidence: EvidenceIndex): Control[] {
  const texts = shuffled([...material.passages.values()])
    .map((passage) => textOf(passage, evidence))
    .filter((text) => text.length >= TEXT_CHARS_MIN && text.length <= TEXT_CHARS_MAX && /\p{L}\s+\p{L}/u.test(text) && !text.endsWith('?'))
    .slice(0, TRIES);
  const controls: Control[] = [];
  const own = texts.find((text) => statusByRules(text, evidence) === 'supported');
  if (own !== undefined) controls.push({ text: own, isTrue: true });
  for (const change of [withOtherFigure, withDenial]) {
    const found = texts.map((text) => change(text, evidence)).find((text) => text !== undefined && statusByRules(text, evidence) !== 'supported');
    if (found !== undefined) controls.push({ text: found, isTrue: false });
  }
  if (!controls.some(({ isTrue }) => !isTrue)) controls.push({ text: unheard(UNHEARD, evidence), isTrue: false });
  return controls;
}

/** A criterion that no work does which speaks of other things. */
export function controlCriterion(evidence: EvidenceIndex, work: string): string {
  return unheard(UNHEARD_CRITERIA, evidence, work);
}

function unheard(list: typeof UNHEARD, evidence: EvidenceIndex, work = ''): string {
  const known = `${work} ${evidence.sources.map(({ text }) => text).join(' ')}`.toLowerCase();
  const usable = list.filter(([, word]) => !known.includes(word));
  return (usable[randomInt(Math.max(1, usable.length))] ?? list[0])?.[0] ?? '';
}

function textOf({ ref, start, end }: Passage, { sources }: EvidenceIndex): string {
  return sources.find((source) => source.ref === ref)?.text.slice(start, end) ?? '';
}

/** A first whole figure replaced by one that stands nowhere in the evidence. */
function withOtherFigure(text: string, { sources }: EvidenceIndex): string | undefined {
  const found = /(?<![\d.,:/-])\d{1,6}(?![\d:/-]|[.,]\d)/.exec(text);
  if (found === null) return undefined;
  const value = Number(found[0]);
  for (const factor of [1.6, 2.3, 3.1]) {
    const other = String(Math.round(value * factor) + 2);
    if (!sources.some((source) => source.text.includes(other)))
      return text.slice(0, found.index) + other + text.slice(found.index + found[0].length);
  }
  return undefined;
}

const AUXILIARY = /\b(?:is|are|was|were|has|have|had|will|would|can|could|may|must|should|does|did)\b(?! not\b|n['’]t)/;
const DENIAL = /\s+not\b/;

/** The same with its first denial taken away, or one put in. */
function withDenial(text: string): string | undefined {
  if (DENIAL.test(text)) return text.replace(DENIAL, '');
  if (/\b(?:no|never|none|nobody|nothing|without|neither|nor|only)\b|n['’]t\b/i.test(text)) return undefined;
  const found = AUXILIARY.exec(text);
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  return `${text.slice(0, end)} not${text.slice(end)}`;
}

function statusByRules(text: string, evidence: EvidenceIndex): string | undefined {
  const work = readWork(text);
  const { judged } = judgeStatements(work, evidence, undefined, () => {});
  return judged.length === 1 ? judged[0]?.status : undefined;
}

/** In a random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    const [one, two] = [mixed[at], mixed[other]];
    if (one !== undefined && two !== undefined) [mixed[at], mixed[other]] = [two, one];
  }
  return mixed;
}

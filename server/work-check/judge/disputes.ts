import { isPlanned } from '../engines/planned.ts';
import { bearsOut, type Said, type SlotConflict, slotConflict } from '../engines/slots.ts';
import type { Versions } from '../engines/versions.ts';
import { clip } from '../quoting.ts';
import { bestPassages, type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';
import { wantedOf } from '../support/passage-windows.ts';
import { type Judgement, placeOf, quote, sourceName, where } from './ground.ts';

const PASSAGES_LOOKED_AT = 8;

/** A passage that gives one thing of a statement another value, and the one of another source that bears it out. */
export type Conflict = SlotConflict & { passage: number; clause: Said; bearer: number | undefined };

/** The first conflict between a statement, in whole or in one of its clauses, and a passage of the evidence. */
export function conflictOf(
  clauses: readonly Said[],
  { quantities: whole, text, under }: Pick<Statement, 'quantities' | 'text' | 'under'>,
  near: readonly number[],
  index: EvidenceIndex,
  versions: Versions,
): Conflict | undefined {
  for (const clause of clauses) {
    const best = bestPassages(index, wantedOf(clause.tokens), PASSAGES_LOOKED_AT).map(({ passage }) => passage);
    const candidates = [...new Set([...best, ...near])].flatMap((at) => {
      const passage = index.passages[at];
      return passage === undefined ? [] : [{ at, passage }];
    });
    const bearers = candidates.filter(({ passage }) => bearsOut(clause, passage, index));
    for (const { at, passage } of candidates) {
      // What the newer version of a source replaced says nothing against the work.
      if (versions.has(passage.source) || bearers.some((one) => one.passage.source === passage.source)) continue;
      const conflict = slotConflict(clause, whole, passage, index);
      if (conflict === undefined) continue;
      if (conflict.kind === 'figure' && isPlanned({ text, under }, passage, index)) continue;
      const bearer = bearers[0];
      if (bearer !== undefined && areParallel(bearer.passage, passage, index)) continue;
      if (bearer !== undefined && haveOtherLabels(bearer.passage, passage, index)) continue;
      if (bearer !== undefined && ageOf(bearer.passage, index) > ageOf(passage, index)) continue;
      return { ...conflict, passage: at, clause, bearer: bearer?.at };
    }
  }
  return undefined;
}

/** "Spec table Onda 40" and "Spec table Kestrel L2": each speaks of its own thing, so neither disputes the other. */
function areParallel(one: Passage, other: Passage, index: EvidenceIndex): boolean {
  const [own, known] = [one, other].map(({ source }) => (index.sources[source]?.source ?? '').split(/[\s,(]+/));
  if (own === undefined || known === undefined || own[0] !== known[0]) return false;
  const named = (words: readonly string[], others: readonly string[]): boolean =>
    words.slice(1).some((word) => /^\p{Lu}/u.test(word) && !others.includes(word) && !isMonth(word));
  return named(own, known) && named(known, own);
}

const LABEL = /^\s*(?:[-*•]\s+)?(\p{L}[\p{L} /-]{1,40}):\s/u;

/** "Salary expectation: EUR 82,000" and "Salary band: EUR 70,000-80,000" give two things. */
function haveOtherLabels(one: Passage, other: Passage, index: EvidenceIndex): boolean {
  const [own, known] = [one, other].map((passage) => LABEL.exec(passageText(index, passage))?.[1]?.toLowerCase());
  return own !== undefined && known !== undefined && own !== known;
}

const isMonth = (word: string): boolean => /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/.test(word);

/** When a source was observed, as its date says; 0 where it gives none, so that nothing is newer than it. */
function ageOf({ source }: Passage, index: EvidenceIndex): number {
  const time = Date.parse(index.sources[source]?.observed_at ?? '');
  return Number.isNaN(time) ? 0 : time;
}

/** Two sources that cannot both be right about a statement: a person decides. */
export function disputed(
  statement: Statement,
  { claimed, known }: SlotConflict,
  bearer: number,
  rival: number,
  index: EvidenceIndex,
): Judgement {
  const [one, other] = [index.passages[bearer], index.passages[rival]];
  const says = (passage: Passage | undefined): string =>
    passage === undefined ? '' : `${sourceName(index, passage.source)} says ${quote(passageText(index, passage))}`;
  const newer =
    one !== undefined && other !== undefined && ageOf(one, index) > 0 && ageOf(other, index) > ageOf(one, index)
      ? ` ${sourceName(index, other.source)} is the newer of the two and may replace the other.`
      : '';
  return {
    status: 'not_found',
    disputed: true,
    open: [clip(claimed)],
    why: `The sources contradict each other on ${where(statement)}: ${says(one)}, but ${says(other)}.${newer} A person should decide which of them holds.`,
    passages: [...placeOf(index, bearer), ...placeOf(index, rival)],
    compared: { claimed, known },
  };
}

/** The passage of another source that by itself bears a statement out. */
export function bearerBeside(
  statement: Said,
  rival: number,
  near: readonly number[],
  index: EvidenceIndex,
): number | undefined {
  const source = index.passages[rival]?.source;
  return near.find((at) => {
    const passage = index.passages[at];
    return passage !== undefined && passage.source !== source && bearsOut(statement, passage, index);
  });
}

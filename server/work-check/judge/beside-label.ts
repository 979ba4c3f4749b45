import { type Candidate, figuresLike, gives, inOtherUnit, namesIn } from '../engines/candidates.ts';
import { isGivenAs, type Label, labelled, labelOf, opensLine, tells } from '../engines/labels.ts';
import { clip } from '../quoting.ts';
import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import { isMeasure, type Quantity, readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement, Work } from '../statements.ts';
import { type Ground, type Judgement, placeOf, quote, sourceName, where } from './ground.ts';

/** How good the label of a place must be that is a field's own, and how poor that of a place that is not. */
const FULL = 0.8;
const NONE = 0.35;
/** How much better one label must be than another. */
const CLEARLY = 0.35;
const WHOLE = 0.99;
const SOMEWHAT = 0.1;
/** What makes another field of the record the better owner of a place. */
const OWNED = 0.6;

const CANDIDATES_MAX = 400;

/** One of several records: the record tells which value is meant, and not the name of its field alone. */
const IN_LIST = /\/\d+(?=\/|$)/;

/** Where something was corrected, at a place or right before it, the value that holds need not stand beside the label. */
const CHANGED =
  /\b(?:instead|correct\w*|now|new|changed|mov(?:ed|es)|revis\w*|updat\w*|actually|sorry|rather|was|were|old|last|previous\w*|former\w*|original\w*|until now|so far)\b/i;

/** A field of the work, and where the evidence could give it. */
type Field = { column: string; label: Label; value: string; own: Quantity | undefined };
type Reading = Field & { all: readonly Candidate[]; mine: readonly Candidate[]; best: number };

/**
 * `deposit: 4200` where the evidence says "Deposit: GBP 9,625. Service charge: GBP 4,200": a value that stands in the
 * evidence beside the label of another one does not bear its field out.
 */
export function judgeLabel(statement: Statement, { work, index }: Ground): Judgement | undefined {
  const reading = readingOf(statement, index);
  if (reading === undefined) return undefined;
  const { all, mine, best, label, value } = reading;
  const beside = besides(statement, work);
  const owner = beside.find((other) => mine.every((at) => takes(other, at, reading, index)));
  const rival = tells(label) ? rivalOf(reading, beside, index) : undefined;
  const isSaid = rival !== undefined && best <= NONE && isGivenAs(label, rival.at, index);
  // A value that several lines give may well be meant by one of them.
  const isOnce = new Set(mine.map(({ passage }) => passage)).size === 1;
  const isOff = rival !== undefined && (owner !== undefined || isSaid || (isOnce && rival.score - best >= CLEARLY));
  if (isOff && !wasChanged([rival.at, ...mine], index)) {
    const from = index.passages[rival.at.passage];
    const [source, known] = [sourceName(index, from?.source ?? -1), textOf(rival.at, index)];
    const passages = placeOf(index, rival.at.passage);
    return owner !== undefined || isSaid
      ? {
          status: 'contradicted',
          why: `The work gives “${clip(value)}” (${statement.at}) where ${source} gives “${clip(known)}”: ${said(from, index)}.`,
          passages,
          compared: { claimed: value, known },
        }
      : {
          status: 'not_found',
          why: `The evidence does not settle ${where(statement)}. “${clip(value)}” stands in it, but ${source} gives “${clip(known)}” closer to “${reading.column}”: ${said(from, index)}.`,
          passages,
          open: [value],
          suspect: 2,
        };
  }
  const [first] = mine;
  if (owner === undefined || first === undefined || all.length === 0) return undefined;
  const from = index.passages[first.passage];
  return {
    status: 'not_found',
    why: `The evidence does not settle ${where(statement)}. ${sourceName(index, from?.source ?? -1)} gives “${clip(textOf(first, index))}” for “${owner.column}”: ${said(from, index)}.`,
    passages: placeOf(index, first.passage),
    open: [value],
    suspect: 1,
  };
}

/** `notice_months: 30` where the evidence knows 30 days only. */
export function judgeOtherUnit(statement: Statement, { index }: Ground): Judgement | undefined {
  const field = fieldOf(statement);
  const found = field?.own === undefined ? undefined : inOtherUnit(field.own, field.label.unit, index);
  if (field === undefined || found === undefined) return undefined;
  const from = index.passages[found.passage];
  return {
    status: 'not_found',
    why: `The evidence does not settle ${where(statement)}. It gives “${clip(field.value)}” in another unit only: ${said(from, index)}.`,
    passages: placeOf(index, found.passage),
    open: [field.value],
    suspect: 1,
  };
}

/** A field that stands for itself, with the places that could give it and those that give its value. */
function readingOf(statement: Statement, index: EvidenceIndex): Reading | undefined {
  const field = fieldOf(statement);
  if (field === undefined || (field.own === undefined && !isName(field.value))) return undefined;
  const { own, label, value } = field;
  const words = tokenize(value).filter(({ kind }) => kind === 'word');
  const all = own === undefined ? namesIn(index, words.length) : figuresLike(own, label.unit, index);
  if (all.length > CANDIDATES_MAX) return undefined;
  const mine = all.filter((at) => gives(at, own, value, index));
  if (mine.length === 0) return undefined;
  return { ...field, all, mine, best: Math.max(...mine.map((at) => labelled(label, at, all, index))) };
}

function fieldOf({ record, kind, place }: Statement): Field | undefined {
  if (record === undefined || kind !== 'leaf' || !('path' in place) || IN_LIST.test(place.path)) return undefined;
  const parent = place.path.split('/').at(-2) ?? '';
  const { column, value } = record;
  return { column, value, own: figureOf(value), label: labelOf(column, parent.replaceAll(/[_-]/g, ' ')) };
}

function figureOf(value: string): Quantity | undefined {
  const [figure, ...more] = readQuantities(tokenize(value));
  const isBare = !/\p{L}{3}/u.test(value.replaceAll(/[T:Z]/g, ''));
  return more.length === 0 && isBare ? figure : undefined;
}

/** "Corva Studio LLP", "Devi Anand". */
const isName = (value: string): boolean => /^\p{Lu}[\p{L}.&'’-]+(?: \p{Lu}[\p{L}.&'’-]*){1,5}$/u.test(value);

/** The other fields that stand for themselves. */
const besides = (statement: Statement, { statements }: Work): Field[] =>
  statements.flatMap((other) => (other === statement ? [] : (fieldOf(other) ?? [])));

/** Whether a place that gives a field's value is rather that of another field with the same value. */
function takes(other: Field, at: Candidate, { all, label }: Reading, index: EvidenceIndex): boolean {
  if (!tells(other.label) || !gives(at, other.own, other.value, index)) return false;
  const [score, own] = [labelled(other.label, at, all, index), labelled(label, at, all, index)];
  if (score < OWNED) return false;
  const isWhole = score >= WHOLE;
  const says = ({ words }: Label): number => words.filter(({ weight }) => weight === 1).length;
  return score - own >= (isWhole ? SOMEWHAT : CLEARLY) || (isWhole && score >= own && says(other.label) > says(label));
}

/** The place whose label is the field's, that gives another value and that no other field of the work gives. */
function rivalOf({ all, mine, best, label }: Reading, beside: readonly Field[], index: EvidenceIndex) {
  const sources = new Set(mine.map((at) => index.passages[at.passage]?.source));
  const hasUnit = label.unit !== '' && mine.some(({ quantity }) => quantity?.unit === label.unit);
  // A line about one thing may give it twice: "Rent: EUR 1,180 until April; EUR 1,250 from 1 May".
  const lines = new Set(mine.map(({ passage }) => passage));
  const [rival] = all
    .filter((at) => !mine.includes(at) && sources.has(index.passages[at.passage]?.source))
    .filter((at) => mine.some((own) => isLike(at, own)) && (!hasUnit || at.quantity?.unit === label.unit))
    .filter(({ passage }) => !lines.has(passage) || !opensLine(label, index.passages[passage]))
    .map((at) => ({ at, score: labelled(label, at, all, index) }))
    .filter(
      ({ at, score }) => score >= Math.max(FULL, best) && !beside.some((other) => owns(other, at, score, all, index)),
    )
    .sort((a, b) => b.score - a.score);
  return rival;
}

/** Figures of one kind, and of one unit where the texts give it. */
const isLike = ({ quantity: one }: Candidate, { quantity: other }: Candidate): boolean =>
  one === undefined ||
  other === undefined ||
  (one.kind === other.kind && (one.unit === other.unit || !isMeasure(one) || !isMeasure(other)));

const owns = (
  { label, value, own }: Field,
  at: Candidate,
  score: number,
  all: readonly Candidate[],
  index: EvidenceIndex,
) => tells(label) && gives(at, own, value, index) && labelled(label, at, all, index) >= Math.max(score, NONE);

const wasChanged = (places: readonly Candidate[], index: EvidenceIndex): boolean =>
  places.some(({ passage }) =>
    index.passages.slice(Math.max(0, passage - 1), passage + 1).some((near) => CHANGED.test(passageText(index, near))),
  );

const textOf = ({ passage, start, end }: Candidate, index: EvidenceIndex): string =>
  (index.sources[index.passages[passage]?.source ?? -1]?.text ?? '').slice(start, end);

const said = (from: Passage | undefined, index: EvidenceIndex): string =>
  quote(from === undefined ? '' : passageText(index, from));

import type { StatementReading } from '../contradictions.ts';
import { type FigureAccount, standsAsFigure } from '../engines/figures.ts';
import { sharedWith } from '../engines/slots.ts';
import type { Substitution } from '../engines/substitution.ts';
import { clip } from '../quoting.ts';
import { type EvidenceIndex, isHeld, passageText } from '../reading/evidence-index.ts';
import { isContent, placeOf } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { isLight } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { isInFigure } from './cover.ts';
import { quote, sourceName, where } from './ground.ts';

/** Capitalised words of a statement that stand neither in a text of the evidence nor in the name of a source. */
export function openNames({ faults, statement }: StatementReading, index: EvidenceIndex): string[] {
  const labels = index.sources.map(({ source }) => source.toLowerCase()).join('\n');
  const names = faults.filter(({ kind, contradicts }) => kind === 'name' && !contradicts).map(({ claimed }) => claimed);
  const inFigures = statement.tokens
    .filter((token) => isInFigure(token, statement))
    .map(({ start, end }) => statement.text.slice(start, end));
  return [...new Set(names)].filter(
    (name) =>
      !inFigures.includes(name) &&
      (statement.record === undefined || statement.record.value.includes(name)) &&
      !/^I['’]/.test(name) &&
      !labels.includes(name.toLowerCase()) &&
      statement.text.includes(name) &&
      !isWeekdayOfDate(name, index) &&
      !isInitialOf(name, statement.text, index),
  );
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** A weekday that a full date of the evidence falls on needs not be named there. */
function isWeekdayOfDate(name: string, { passages, labels }: EvidenceIndex): boolean {
  const at = WEEKDAYS.indexOf(name.toLowerCase());
  if (at === -1) return false;
  return [...labels, ...passages.flatMap(({ quantities }) => quantities)].some(
    ({ kind, year, month, day }) =>
      kind === 'date' &&
      year !== undefined &&
      month !== undefined &&
      day !== undefined &&
      new Date(Date.UTC(year, month - 1, day)).getUTCDay() === at,
  );
}

/** "Hanna Vogt" where the evidence has "H. Vogt". */
function isInitialOf(name: string, text: string, { sources }: EvidenceIndex): boolean {
  const next = new RegExp(`\\b${name} (\\p{Lu}[\\p{L}'’-]+)`, 'u').exec(text)?.[1];
  return next !== undefined && sources.some((source) => source.text.includes(`${name[0]}. ${next}`));
}

export function openWords(
  statement: Statement,
  figures: readonly FigureAccount[],
  names: readonly string[],
  open: readonly string[],
  substitutions: readonly Substitution[],
  closest: number | undefined,
  index: EvidenceIndex,
): string {
  const parts: string[] = [];
  const { record } = statement;
  const own =
    record === undefined
      ? statement
      : {
          ...statement,
          tokens: statement.tokens.filter(({ start }) => start >= statement.text.length - record.value.length),
        };
  const exact = [...figures.map(({ text }) => text), ...names].filter((text) => !standsSomewhere(text, index));
  const nowhere =
    exact.length > 0 ? exact : phrasesOf(own, open, index).filter((text) => !standsSomewhere(text, index));
  const shown = [...new Set(nowhere)].slice(0, 4);
  if (shown.length > 0)
    parts.push(
      `${shown.map((text) => `“${clip(text)}”`).join(', ')} ${shown.length === 1 ? 'stands' : 'stand'} nowhere in the evidence.`,
    );
  const differs = substitutions.find(({ telling }) => telling);
  if (differs !== undefined && parts.length === 0)
    parts.push(
      `Where it says “${clip(differs.claimed)}”, ${sourceName(index, index.passages[differs.passage]?.source ?? -1)} says “${clip(differs.known)}”.`,
    );
  const beside = closest === undefined ? undefined : index.passages[closest];
  if (parts.length === 0 && (beside === undefined || sharedWith(statement, beside, index) < SAME_SUBJECT))
    parts.push('No passage says it in words that could be matched.');
  if (parts.length === 0 && beside !== undefined)
    parts.push(`The closest passage, in ${sourceName(index, beside.source)}: ${quote(passageText(index, beside))}.`);
  return `The evidence does not settle ${where(statement)}. ${parts.join(' ')}`.trim();
}

/** A passage that shares less of a statement's words is about something else. */
const SAME_SUBJECT = 0.4;

/** Rarer words than this are named when they stand nowhere; "feel" and "turn" say too little. */
const TELLING = 4.5;

/** Words of a statement, as they stand in it, that no passage holds; words side by side are one phrase. */
function phrasesOf(statement: Statement, open: readonly string[], index: EvidenceIndex): string[] {
  const phrases: string[] = [];
  let from = -1;
  let to = -1;
  let heaviest = 0;
  const close = (): void => {
    if (from >= 0 && heaviest >= TELLING) phrases.push(statement.text.slice(from, to));
    [from, heaviest] = [-1, 0];
  };
  for (const token of statement.tokens) {
    const counts =
      token.kind === 'word' &&
      isContent(token) &&
      open.includes(token.stem) &&
      !isLight(token.stem) &&
      !isInFigure(token, statement) &&
      !isHeld(index, token.stem);
    if (!counts) {
      close();
      continue;
    }
    heaviest = Math.max(heaviest, entryOf(token).rarity);
    if (from < 0) from = token.start;
    to = token.end;
  }
  close();
  return phrases;
}

/** Whether words stand in a text of the evidence or the name of a source, a figure in whatever form. */
function standsSomewhere(text: string, index: EvidenceIndex): boolean {
  const { sources } = index;
  if (standsAsFigure(text, index)) return true;
  const plain = (one: string): string =>
    one
      .toLowerCase()
      .replaceAll(/(?<=\d)[, ](?=\d{3})/g, '')
      .replaceAll(/\s+/g, ' ');
  const wanted = plain(text);
  return sources.some(
    ({ text: known, source }) => placeOf(wanted, plain(known)) !== -1 || placeOf(wanted, plain(source)) !== -1,
  );
}

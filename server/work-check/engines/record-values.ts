import { compareQuantities } from '../reading/compare-quantities.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Span } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { entryOf } from '../support/lexicon.ts';
import { isWhole, type Region, readRegion } from './record-regions.ts';
import { convert, inUnits, unitOfColumn } from './units.ts';

/** The value of a field in a stretch of evidence: a figure in its unit, a date, or the words of a text. */
export function findValue(
  value: string,
  column: string,
  region: Region,
  index: EvidenceIndex,
): { span: Span; converted?: string } | undefined {
  const { lower, quantities } = readRegion(region, index);
  const written = value.length < 2 ? -1 : lower.indexOf(value.toLowerCase());
  if (written !== -1 && isWhole(lower, written, written + value.length)) {
    const span = { start: region.start + written, end: region.start + written + value.length };
    const figure = quantities.find(({ start }) => start === span.start);
    if (figure === undefined || fits(unitOfColumn(column), figure.unit)) return { span };
  }
  const [own, ...more] = readQuantities(tokenize(value));
  const words = tokenize(value).filter(({ kind, content }) => kind === 'word' && content);
  if (own !== undefined && more.length === 0 && words.length <= 1) return findFigure(own, column, region, index);
  if (own !== undefined && words.length === 0) return findAll([own, ...more], region, index);
  return saysHowOften(value, lower) ? findWords(value, region, index) : undefined;
}

const EVERY: ReadonlyMap<string, string> = new Map([
  ['hourly', 'hour'],
  ['daily', 'day'],
  ['nightly', 'night'],
  ['weekly', 'week'],
  ['monthly', 'month'],
  ['quarterly', 'quarter'],
  ['yearly', 'year'],
  ['annually', 'year'],
  ['annual', 'year'],
]);
const TIMES = ['once', 'twice'];

/** Whether a stretch tells how often as a value does: "six months" are not "monthly", and twice is not once. */
function saysHowOften(value: string, lower: string): boolean {
  return tokenize(value).every(({ lower: word }) => {
    if (TIMES.includes(word)) return lower.includes(word);
    const unit = EVERY.get(word);
    return unit === undefined || lower.includes(word) || new RegExp(`\\b(?:per|an?|every|each) ${unit}\\b`).test(lower);
  });
}

function findFigure(
  own: Quantity,
  column: string,
  region: Region,
  index: EvidenceIndex,
): { span: Span; converted?: string } | undefined {
  const unit = unitOfColumn(column);
  for (const known of readRegion(region, index).quantities) {
    const bare = own.kind === 'number' && (own.unit === '' || own.unit === unit);
    if (
      bare &&
      known.kind !== 'date' &&
      known.kind !== 'time' &&
      Math.abs(known.value - own.value) < 1e-9 &&
      fits(unit, known.unit)
    )
      return { span: known };
    if (!bare && compareQuantities(own, known) === 'same') return { span: known };
    const converted = bare && unit !== '' ? convert(known.value, known.unit, unit) : undefined;
    if (converted !== undefined && Math.abs(converted - own.value) < 1e-6)
      return { span: known, converted: inUnits(own.value, unit) };
  }
  return undefined;
}

/** A column that names a unit takes a figure that names none, or the same one. */
export const fits = (unit: string, known: string): boolean =>
  unit === '' ||
  known === '' ||
  known === unit ||
  convert(1, known, unit) === undefined ||
  convert(1, known, unit) === 1;

function findAll(own: readonly Quantity[], region: Region, index: EvidenceIndex): { span: Span } | undefined {
  const known = readRegion(region, index).quantities;
  const found = own.map((figure) => known.find((candidate) => compareQuantities(figure, candidate) === 'same'));
  const [first] = found;
  return first !== undefined && found.every((one) => one !== undefined) ? { span: first } : undefined;
}

/** Words of a text that need not be found: the least telling ones. */
const WORDS_FOUND = 0.8;

function findWords(value: string, region: Region, index: EvidenceIndex): { span: Span } | undefined {
  const { held } = readRegion(region, index);
  const wanted = tokenize(value).filter(isContent);
  if (wanted.length === 0) return undefined;
  let [found, total] = [0, 0];
  let first: Token | undefined;
  for (const token of wanted) {
    const entry = entryOf(token);
    total += entry.rarity;
    const match = held.get(token.stem) ?? entry.synonyms.map((stem) => held.get(stem)).find((one) => one !== undefined);
    if (match === undefined) {
      if (token.kind === 'number' || token.capital) return undefined;
      continue;
    }
    found += entry.rarity;
    first ??= match;
  }
  return first !== undefined && found / total >= WORDS_FOUND ? { span: first } : undefined;
}

/** The same figure in a unit that is not the column's, as 315 for `height_cm` where the source gives "315 mm". */
export function inOtherUnit(
  value: string,
  column: string,
  region: Region,
  index: EvidenceIndex,
): { span: Span; known: string; inUnit: string } | undefined {
  const unit = unitOfColumn(column);
  const [own, ...more] = readQuantities(tokenize(value));
  if (unit === '' || own?.kind !== 'number' || more.length > 0) return undefined;
  const known = readRegion(region, index).quantities.find(
    (figure) => figure.kind === 'number' && figure.value === own.value && !fits(unit, figure.unit),
  );
  const converted = known && convert(known.value, known.unit, unit);
  if (known === undefined || converted === undefined) return undefined;
  const text = index.sources[region.source]?.text.slice(known.start, known.end) ?? '';
  const inUnit = `in ${known.unit}s, which is ${inUnits(Math.round(converted * 1e6) / 1e6, unit)}`;
  return { span: known, known: text, inUnit };
}

/** A column that bears only the name of a currency says nothing of what it holds. */
const CURRENCY = /^(?:eur|usd|gbp|chf|jpy|cad|aud|euros?|dollars?|pounds?|francs?|cents?|pence)$/;

/** How many words before or behind a figure its column's name may stand. */
const LABEL_WITHIN = 4;

/** Another figure of the same kind that the stretch gives under the column's whole name, when it is the only one. */
export function otherValue(
  value: string,
  column: string,
  region: Region,
  index: EvidenceIndex,
): { span: Span; known: string } | undefined {
  const [own, ...more] = readQuantities(tokenize(value));
  if (own === undefined || more.length > 0 || own.value === 0 || own.kind === 'date' || own.kind === 'time')
    return undefined;
  const text = index.sources[region.source]?.text ?? '';
  const { tokens, quantities } = readRegion(region, index);
  const unit = unitOfColumn(column);
  const named = new Set(
    tokenize(column)
      .filter(
        (token) =>
          isContent(token) &&
          !CURRENCY.test(token.lower) &&
          (unit === '' || unitOfColumn(`of ${token.lower}`) !== unit),
      )
      .map(({ stem }) => stem),
  );
  const labelled = quantities.filter((known) => {
    if (known.kind === 'date' || known.kind === 'time') return false;
    // In "nine weeks, five years" the weeks are counted before them.
    const around = tokens
      .slice(Math.max(0, known.first - LABEL_WITHIN), known.first)
      .filter((token) => !quantities.some(({ last }) => tokens[last + 1] === token));
    const held = new Set(around.map(({ stem }) => stem));
    return named.size > 0 && [...named].every((stem) => held.has(stem)) && (unit === '' || known.unit === unit);
  });
  const [only, ...others] = labelled;
  if (only === undefined || others.some((other) => other.value !== only.value)) return undefined;
  const span = wordAround(text, only);
  const known = text.slice(span.start, span.end);
  // Ward "A1" is none of a figure, but of another such name.
  return /\p{L}/u.test(value) === /\p{L}/u.test(known) || !/^\p{L}+\d/u.test(value) ? { span, known } : undefined;
}

/** The whole name that a figure stands in: "B2". */
function wordAround(text: string, { start, end }: Span): Span {
  const before = /[\p{L}\d]*$/u.exec(text.slice(Math.max(0, start - CODE_CHARS_MAX), start))?.[0] ?? '';
  return { start: start - before.length, end };
}

const CODE_CHARS_MAX = 12;

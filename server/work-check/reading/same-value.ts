import { figureOfCell, isCount } from './cell-figure.ts';
import { compareQuantities } from './compare-quantities.ts';
import type { DayOrder } from './dates.ts';
import { readQuantities } from './quantities.ts';
import type { Quantity } from './quantity.ts';
import { tokenize } from './tokens.ts';
import { saysYes } from './yes-no.ts';

/** How a claimed value stands to a cell. `unclear`: the two may say the same in other words. */
export type CellMatch = 'same' | 'other' | 'unclear';

/** What tells how a cell is to be read. */
export interface CellSetting {
  /** The name of the column or field. */
  column: string;
  /** How its source may write days and months. */
  orders: readonly DayOrder[];
  /** The other cells of its column. */
  others: readonly string[];
}

/** Text of a cell without differences of case, spacing and punctuation. */
export function plainCell(text: string): string {
  const known = plain.get(text);
  if (known !== undefined) return known;
  const made = plainOf(text);
  if (plain.size >= PLAIN_MAX) plain.clear();
  if (text.length <= PLAIN_CHARS_MAX) plain.set(text, made);
  return made;
}

/** The same few cells are asked for once for each statement: kept, wide tables cost a tenth. Forgotten all at once. */
const plain = new Map<string, string>();
const PLAIN_MAX = 32_768;
const PLAIN_CHARS_MAX = 80;

function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.%+-]+/gu, ' ')
    .replaceAll(/(?<=\d) (?=\d{3}\b)/g, '')
    .trim();
}

/**
 * Compares a value of a work with the cell of a source that it is about. Work writes values as its schema wants them:
 * `true` for "yes", `null` for a dash, 0.42 for "42%", an ISO date for "2 Apr", "Maria Lopez" for "Lopez, Maria".
 */
export function compareCell(claimed: string, cell: string, setting: CellSetting): CellMatch {
  if (plainCell(claimed) === plainCell(cell)) return 'same';
  return byFlag(claimed, cell) ?? byFigures(claimed, cell, setting) ?? byWords(claimed, cell, setting);
}

const NOTHING =
  /^(?:[-–—.?]*|n\/?a|n\.a\.|none|null|nil|unknown|tbd|tbc|keine?|k\.a\.|unbekannt|not (?:given|stated|known|applicable))$/i;

/** Yes and no, and nothing at all. */
function byFlag(claimed: string, cell: string): CellMatch | undefined {
  if (claimed === 'null') return NOTHING.test(cell.trim()) ? 'same' : 'other';
  const own = /^\S+$/.test(claimed.trim()) ? saysYes(claimed) : undefined;
  const known = saysYes(cell);
  if (own === undefined) return undefined;
  if (known !== undefined) return own === known ? 'same' : 'other';
  return claimed === 'true' || claimed === 'false' ? 'unclear' : undefined;
}

function byFigures(claimed: string, cell: string, { column, orders }: CellSetting): CellMatch | undefined {
  const [a, b] = [phoneOf(claimed), phoneOf(cell)];
  if (a !== undefined && b !== undefined && (a.endsWith(b) || b.endsWith(a))) return 'same';
  if (!isOnlyFigure(claimed) || !isOnlyFigure(cell)) return undefined;
  // "08:00+01:00" may be the same hour as "07:00" of a log in UTC, and is not the same as "08:00".
  if (zoneOf(claimed) !== zoneOf(cell)) return 'unclear';
  const figuresIn = (text: string, order?: DayOrder): Quantity[] =>
    readQuantities(tokenize(spaced(text)), order, () => !isCount(text.trim(), column));
  const own = figuresIn(claimed);
  if (own.length === 0) return undefined;
  const readings = orders.map((order) => figuresIn(cell, order));
  const [signed, knownSigned] = [figureOfCell(claimed, column), figureOfCell(cell, column)];
  if (signed && knownSigned && signed.value * knownSigned.value < 0) return 'other';
  if (readings.some((known) => known.length === own.length && known.every((one, at) => isSame(own[at], one, cell))))
    return 'same';
  const percent = asPercent(claimed, cell);
  if (percent !== undefined) return percent;
  const [first] = readings;
  // "2026-04-02" where the cell gives the hour as well, or a day beside it.
  if (first?.length !== own.length) return 'unclear';
  return own.every(({ kind }, at) => COMPARED.has(kind) === COMPARED.has(first[at]?.kind ?? 'date'))
    ? 'other'
    : 'unclear';
}

/** Kinds of figures that differ only in how they are written. */
const COMPARED: ReadonlySet<Quantity['kind']> = new Set(['number', 'percent', 'money']);

/** 0.42 for "42%", or the other way round. */
function asPercent(claimed: string, cell: string): CellMatch | undefined {
  const [own, known] = [figureOfCell(claimed, ''), figureOfCell(cell, '')];
  if (own === undefined || known === undefined || (own.kind === 'percent') === (known.kind === 'percent'))
    return undefined;
  const [share, rate] = own.kind === 'percent' ? [known.value, own.value] : [own.value, known.value];
  return Math.abs(share) <= 1 && Math.abs(share * 100 - rate) < 0.5
    ? Math.abs(share * 100 - rate) < 1e-6
      ? 'same'
      : 'unclear'
    : undefined;
}

function isSame(own: Quantity | undefined, known: Quantity, cell: string): boolean {
  if (own === undefined) return false;
  if (compareQuantities(own, known) === 'same') return true;
  // "2 Apr" in a plan of that year.
  if (own.kind === 'date' && known.kind === 'date' && known.year === undefined)
    return known.day !== undefined && own.day === known.day && own.month === known.month;
  // "20.000 €" may be twenty thousand.
  return /(?:^|\D)\d{1,3}(?:\.\d{3})+(?!\d)/.test(cell) && Math.abs(own.value - known.value * 1_000) < 1e-6;
}

/** How far from UTC a time says it is, where it says so. */
const zoneOf = (text: string): string | undefined => /\d:\d\d(?::\d\d(?:\.\d+)?)? ?([+-]\d\d:?\d\d)/.exec(text)?.[1];

/** "2026-04-02T08:30:00Z" as a day and an hour. */
const spaced = (text: string): string =>
  text.replaceAll(/(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, '$1 $2');

const PHONE_DIGITS_MIN = 7;

/** The digits of a phone number without its leading zeros. */
function phoneOf(text: string): string | undefined {
  if (!/^\+?[\d\s()/.-]+$/.test(text.trim()) || !/^\s*(?:\+|0|\()/.test(text)) return undefined;
  const digits = text.replaceAll(/\D/g, '').replace(/^0+/, '');
  return digits.length >= PHONE_DIGITS_MIN ? digits : undefined;
}

/** Whether a value is figures and little else, so that comparing figures compares the value. */
const isOnlyFigure = (text: string): boolean => tokenize(text).filter(({ kind }) => kind === 'word').length <= 2;

/** Words differ for certain where the claimed ones are those of another row, or both are codes. */
function byWords(claimed: string, cell: string, { others }: CellSetting): CellMatch {
  const [own, known] = [wordsOf(claimed), wordsOf(cell)];
  if (own.length === known.length && [...own].sort().join(' ') === [...known].sort().join(' ')) return 'same';
  const plain = plainCell(claimed);
  if (others.some((other) => plainCell(other) === plain)) return 'other';
  return CODE.test(claimed.trim()) && CODE.test(cell.trim()) ? 'other' : 'unclear';
}

/** "A-118", "pmol/L", "mL", "%". */
const CODE = /^(?:\S*[\d/%°]\S*|\S*\p{Ll}\p{Lu}\S*)$/u;

const wordsOf = (text: string): string[] =>
  plainCell(text)
    .replaceAll('.', '')
    .split(/[\s-]+/)
    .filter(Boolean);

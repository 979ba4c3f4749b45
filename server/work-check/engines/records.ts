// Longer than 300 lines: one class that holds the regions of records and reads them.
import type { JsonValue } from '../../kernel/json-value.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { compareQuantities, type Quantity, readQuantities } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import type { Token } from '../reading/token.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { nameOf, type Statement } from '../statements.ts';
import { everydayFor } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { convert, inUnits, unitOfColumn } from './units.ts';

/** A stretch of one source that speaks of one record. */
export type Region = Span & { source: number };

/** Where a field's value stands in the evidence, or what stands there in its place. */
export type FieldReading =
  | { is: 'found'; region: Region; span: Span; converted?: string }
  /** `inUnit`: the source's unit, where it gives the same figure in one that is not the field's. */
  | { is: 'other'; region: Region; span: Span; known: string; inUnit?: string }
  | { is: 'nowhere' };

const REGION_CHARS_MAX = 900;
/** Before and behind a figure, where a source has no lines. */
const LINE_CHARS_MAX = 160;
/** Records beside one that may end its stretch; more of them are passed over. */
const SIBLINGS_MAX = 200;

/**
 * Reads the fields of structured work against the stretches of evidence that speak of the same record. A record is known
 * by the value that names it; its stretch ends where a record beside it is named.
 */
export class Records {
  private readonly identities = new Map<string, string>();
  private readonly siblings = new Map<string, string[]>();
  private readonly regions = new Map<string, Region[]>();
  private readonly index: EvidenceIndex;
  private readonly root: JsonValue;

  constructor(root: JsonValue, index: EvidenceIndex) {
    this.index = index;
    this.root = root;
    this.walk(root, '', undefined);
  }

  private walk(value: JsonValue, path: string, inherited: string | undefined): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      const names = value.flatMap((item) => nameOf(item) ?? []);
      for (const [at, item] of value.entries()) {
        this.siblings.set(`${path}/${at}`, names);
        this.walk(item, `${path}/${at}`, inherited);
      }
      return;
    }
    const own = this.siblings.has(path) ? (nameOf(value) ?? inherited) : inherited;
    if (own !== undefined) this.identities.set(path, own);
    for (const [key, item] of Object.entries(value)) {
      const next = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (own !== undefined && !this.siblings.has(next)) this.siblings.set(next, this.siblings.get(path) ?? []);
      this.walk(item, next, own);
    }
  }

  /** The name of the record that a field belongs to, when its record has one. */
  identityOf(path: string): string | undefined {
    return this.identities.get(parentOf(path));
  }

  regionsOf(path: string): Region[] {
    const parent = parentOf(path);
    const identity = this.identities.get(parent);
    if (identity === undefined) return wholeSources(this.index);
    const known = this.regions.get(parent);
    if (known !== undefined) return known;
    const found = regionsNaming(identity, this.siblings.get(parent) ?? [], this.index);
    this.regions.set(parent, found);
    return found;
  }

  /** Looks a field's value up where the evidence speaks of its record. */
  read(statement: Statement): FieldReading {
    const { record, place } = statement;
    if (record === undefined || !('path' in place)) return { is: 'nowhere' };
    const regions = this.regionsOf(place.path);
    const isNamed = this.identityOf(place.path) !== undefined;
    for (const region of regions) {
      const found = findValue(record.value, record.column, region, this.index);
      if (found !== undefined && (isNamed || this.isAbout(found.span, region, statement)))
        return { is: 'found', region, ...found };
    }
    if (!isNamed) return { is: 'nowhere' };
    const line = this.lineOf(place.path)?.region;
    for (const region of line === undefined ? regions : [line, ...regions]) {
      const other = otherValue(record.value, record.column, region, this.index);
      if (other !== undefined) return { is: 'other', region, ...other };
    }
    for (const region of regions) {
      const other = inOtherUnit(record.value, record.column, region, this.index);
      if (other !== undefined) return { is: 'other', region, ...other };
    }
    return this.otherOfLine(record.value, place.path) ?? { is: 'nowhere' };
  }

  /** Where a figure or date that nothing says of its record is said of a record beside it. */
  givenToAnother({ record, place }: Statement): { name: string; region: Region; span: Span } | undefined {
    if (record === undefined || !('path' in place) || readQuantities(tokenize(record.value)).length !== 1)
      return undefined;
    const own = this.identityOf(place.path);
    const regions = own === undefined ? [] : this.regionsOf(place.path);
    if (own === undefined || regions.length === 0 || !PROPER.test(own)) return undefined;
    const names = this.siblings.get(parentOf(place.path)) ?? [];
    if (names.length > SIBLINGS_MAX || new Set(names).size < names.length) return undefined;
    for (const name of names) {
      if (name === own || !PROPER.test(name)) continue;
      for (const region of regionsNaming(name, names, this.index)) {
        const found = findValue(record.value, record.column, region, this.index);
        const isOwn = regions.some(
          ({ source, start, end }) =>
            source === region.source && found && found.span.start >= start && found.span.start < end,
        );
        if (found !== undefined && !isOwn) return { name, region, span: found.span };
      }
    }
    return undefined;
  }

  /**
   * Whether a bare figure stands in a line about its field: 365 days are no monthly instalment. A text or a date tells by
   * itself.
   */
  private isAbout({ start, end }: Span, { source }: Region, { record, under, quantities }: Statement): boolean {
    const text = this.index.sources[source]?.text ?? '';
    const [figure, ...more] = quantities;
    if (figure === undefined || more.length > 0 || !/^-?[\d.,]+$/.test(record?.value ?? '')) return true;
    const from = Math.max(0, text.lastIndexOf('\n', start - 1) + 1, start - LINE_CHARS_MAX);
    const line = text.indexOf('\n', end);
    const around = tokenize(text.slice(from, Math.min(line === -1 ? text.length : line, end + LINE_CHARS_MAX)));
    const held = new Set(around.map(({ stem }) => stem));
    const wanted = tokenize(`${record?.column ?? ''} ${under}`).filter(isContent);
    return wanted.some((token) =>
      [token.stem, ...entryOf(token).synonyms, ...everydayFor(token.stem)].some((one) => held.has(one)),
    );
  }

  /**
   * The figure in the record's own line of a source, where the lines of the records beside it give this very field at that
   * place: "INV-82 … 192.90" beside "INV-81 … 120.00".
   */
  private otherOfLine(value: string, path: string): FieldReading | undefined {
    const parent = parentOf(path);
    const [list, key] = [parentOf(parent), path.slice(parent.length + 1)];
    const items = itemsOf(this.root, list);
    const at = Number(parent.slice(list.length + 1));
    if (items.length < LINES_ALIKE + 1 || !Number.isInteger(at)) return undefined;
    const lineOf = (record: number): { region: Region; figures: Quantity[] } | undefined =>
      this.lineOf(`${list}/${record}/${key}`);
    const own = lineOf(at);
    if (own === undefined) return undefined;
    let place: number | undefined;
    let alike = 0;
    for (const [other, item] of items.entries()) {
      if (other === at) continue;
      const known = lineOf(other);
      const given = Number(item[key]);
      const found = known?.figures.findIndex((figure) => Math.abs(figure.value - given) < 1e-9) ?? -1;
      if (known === undefined || found === -1 || known.figures.length !== own.figures.length) continue;
      if (place !== undefined && place !== found) return undefined;
      place = found;
      alike += 1;
    }
    const figure = own.figures[place ?? -1];
    if (figure === undefined || alike < LINES_ALIKE || Math.abs(figure.value - Number(value)) < 1e-9) return undefined;
    if (!fits(unitOfColumn(key.replaceAll('_', ' ')), figure.unit)) return undefined;
    const text = this.index.sources[own.region.source]?.text ?? '';
    return { is: 'other', region: own.region, span: figure, known: text.slice(figure.start, figure.end) };
  }

  /** The line that names a record, and its figures behind the name; dates and times are none. */
  private lineOf(path: string): { region: Region; figures: Quantity[] } | undefined {
    const identity = this.identityOf(path);
    const [region, ...more] = this.regionsOf(path);
    if (identity === undefined || region === undefined || more.length > 0) return undefined;
    const text = this.index.sources[region.source]?.text ?? '';
    const named = text.indexOf(identity, region.start);
    if (named === -1 || named > region.end) return undefined;
    const line = text.indexOf('\n', named);
    const end = Math.min(region.end, line === -1 ? text.length : line);
    const figures = readQuantities(tokenize(text.slice(named + identity.length, end), named + identity.length));
    return {
      region: { source: region.source, start: text.lastIndexOf('\n', named) + 1, end },
      figures: figures.filter(({ kind }) => kind === 'number' || kind === 'money' || kind === 'percent'),
    };
  }
}

/** "O-1", "Livia Orsenna" or "Night run", and not "urgent", which may name anything. */
const PROPER = /^\S*\d\S*$|^\p{Lu}\S*(?: \p{Lu}\S*)+$|^\p{Lu}\S* \S+$/u;

/** Lines of other records that must give a field at one place before a line tells what stands there for this one. */
const LINES_ALIKE = 2;

function itemsOf(root: JsonValue, path: string): { [key: string]: JsonValue }[] {
  let at: JsonValue | undefined = root;
  for (const part of path.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return [];
    at = (at as { [key: string]: JsonValue })[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return Array.isArray(at)
    ? at.flatMap((item) => (typeof item === 'object' && item !== null && !Array.isArray(item) ? [item] : []))
    : [];
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function wholeSources({ sources }: EvidenceIndex): Region[] {
  return sources.map(({ text }, source) => ({ source, start: 0, end: text.length }));
}

/** Stretches that begin where the record is named and end where another one is, or at the end of a paragraph. */
function regionsNaming(identity: string, siblings: readonly string[], index: EvidenceIndex): Region[] {
  const regions: Region[] = [];
  for (const [source, { text, source: name }] of index.sources.entries()) {
    if (holdsWords(name, identity)) {
      regions.push({ source, start: 0, end: text.length });
      continue;
    }
    const others = [...new Set(siblings)]
      .slice(0, SIBLINGS_MAX)
      .filter((other) => other !== identity)
      .flatMap((other) => mentions(source, other, index));
    for (const start of mentions(source, identity, index)) {
      const next = Math.min(...others.filter((at) => at > start), start + REGION_CHARS_MAX, text.length);
      // "On 9 May the Night run starts": what opens the sentence of the next record is no longer said of this one.
      const opening = others.includes(next) ? sentenceStart(text, next) : next;
      const line = text.lastIndexOf('\n', start - 1) + 1;
      const opens = (from: number): boolean => others.every((at) => at < from || at > start);
      const own = opens(line) ? line : sentenceStart(text, start);
      regions.push({ source, start: opens(own) ? own : start, end: opening > start ? opening : next });
    }
  }
  return regions.sort(
    (a, b) => Number(a.end - a.start > REGION_CHARS_MAX) - Number(b.end - b.start > REGION_CHARS_MAX),
  );
}

function sentenceStart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - REGION_CHARS_MAX), at);
  const ends = [...before.matchAll(/[.!?;]\s+(?=\p{Lu})|\n/gu)].at(-1);
  return ends === undefined ? Math.max(0, at - REGION_CHARS_MAX) : at - before.length + ends.index + ends[0].length;
}

function holdsWords(text: string, words: string): boolean {
  const held = new Set(tokenize(text).map(({ stem }) => stem));
  const wanted = tokenize(words).filter(isContent);
  return wanted.length > 0 && wanted.every(({ stem }) => held.has(stem));
}

const mentioned = new WeakMap<EvidenceIndex, Map<string, number[]>>();

/** Where a name stands in a source: as it is written, else by its most telling word. Looked up once for all records. */
function mentions(source: number, name: string, index: EvidenceIndex): number[] {
  let known = mentioned.get(index);
  if (known === undefined) {
    known = new Map();
    mentioned.set(index, known);
  }
  const key = `${source}:${name}`;
  let found = known.get(key);
  if (found === undefined) {
    found = findMentions(source, name, index);
    known.set(key, found);
  }
  return found;
}

const MENTIONS_MAX = 20;

function findMentions(source: number, name: string, index: EvidenceIndex): number[] {
  const { lower, tokens } = readRegion({ source, start: 0, end: index.sources[source]?.text.length ?? 0 }, index);
  const found: number[] = [];
  const wanted = name.toLowerCase().trim();
  for (
    let at = lower.indexOf(wanted);
    at !== -1 && found.length < MENTIONS_MAX;
    at = lower.indexOf(wanted, at + wanted.length)
  )
    if (isWhole(lower, at, at + wanted.length)) found.push(at);
  if (found.length > 0) return found;
  const words = tokenize(name).filter((token) => isContent(token) && token.kind === 'word');
  const first = [...words].sort((a, b) => entryOf(b).rarity - entryOf(a).rarity)[0];
  const stems = new Set([first?.stem, words[0]?.stem]);
  for (const token of tokens) {
    if (found.length >= MENTIONS_MAX) break;
    if (stems.has(token.stem)) found.push(token.start);
  }
  return found;
}

const isWhole = (text: string, start: number, end: number): boolean =>
  !/[\p{L}\d]/u.test(text[start - 1] ?? ' ') && !/[\p{L}\d]/u.test(text[end] ?? ' ');

/** The value of a field in a stretch of evidence: a figure in its unit, a date, or the words of a text. */
function findValue(
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

/** What a stretch holds, read once: the fields of a record ask for the same stretches again and again. */
type RegionReading = { tokens: Token[]; quantities: Quantity[]; held: Map<string, Token>; lower: string };
const readings = new WeakMap<EvidenceIndex, Map<string, RegionReading>>();

function readRegion({ source, start, end }: Region, index: EvidenceIndex): RegionReading {
  let known = readings.get(index);
  if (known === undefined) {
    known = new Map();
    readings.set(index, known);
  }
  const key = `${source}:${start}:${end}`;
  let reading = known.get(key);
  if (reading === undefined) {
    const text = index.sources[source]?.text.slice(start, end) ?? '';
    const tokens = tokenize(text, start);
    reading = {
      tokens,
      quantities: readQuantities(tokens),
      held: new Map(tokens.map((token) => [token.stem, token])),
      lower: text.toLowerCase(),
    };
    known.set(key, reading);
  }
  return reading;
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
const fits = (unit: string, known: string): boolean =>
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
function inOtherUnit(
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
function otherValue(
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

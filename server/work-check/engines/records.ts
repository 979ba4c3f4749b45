import type { JsonValue } from '../../kernel/json-value.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { readQuantities } from '../reading/quantities.ts';
import type { Quantity } from '../reading/quantity.ts';
import type { Span } from '../reading/sentences.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { nameOf, type Statement } from '../statements.ts';
import { everydayFor } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { type Region, regionsNaming, wholeSources } from './record-regions.ts';
import { findValue, fits, inOtherUnit, otherValue } from './record-values.ts';
import { unitOfColumn } from './units.ts';

/** Where a field's value stands in the evidence, or what stands there in its place. */
export type FieldReading =
  | { is: 'found'; region: Region; span: Span; converted?: string }
  /** `inUnit`: the source's unit, where it gives the same figure in one that is not the field's. */
  | { is: 'other'; region: Region; span: Span; known: string; inUnit?: string }
  | { is: 'nowhere' };

/** Before and behind a figure, where a source has no lines. */
const LINE_CHARS_MAX = 160;

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
    const places = items.flatMap((item, other) => {
      const known = other === at ? undefined : lineOf(other);
      const given = Number(item[key]);
      const found = known?.figures.findIndex((figure) => Math.abs(figure.value - given) < 1e-9) ?? -1;
      return found === -1 || known?.figures.length !== own.figures.length ? [] : [found];
    });
    const figure = own.figures[places[0] ?? -1];
    if (figure === undefined || places.length < LINES_ALIKE || new Set(places).size > 1) return undefined;
    if (Math.abs(figure.value - Number(value)) < 1e-9) return undefined;
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

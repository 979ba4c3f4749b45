import type { EvidenceSource } from '../reading/evidence-index.ts';
import type { Span } from '../reading/sentences.ts';
import type { Work } from '../statements.ts';
import { leavesOf } from './form-measures.ts';
import {
  isLabelOf,
  isUnheardOf,
  type Lead,
  leadOfAddress,
  leadOfKey,
  leadOfName,
  openSources,
  type Reference,
  referencesIn,
  type SourceBook,
  tellingWords,
} from './references.ts';

/** A place where the work names a source. */
export type Marker = Span & {
  kind: 'number' | 'author_year' | 'attribution' | 'source_line' | 'footnote' | 'address';
  /** Exactly as it stands in the work. */
  words: string;
  /** The number, label, name or address in it. */
  key: string;
  /** Undefined when it leads nowhere. */
  lead: Lead | undefined;
  /** Whether it is a marker beyond doubt; others accuse nobody. */
  certain: boolean;
  /** In structured work: the field, such as `findings[2].source`; the span is within its value. */
  at?: string;
};

export type Citations = { markers: Marker[]; references: Reference[] };

/** All markers in a work, and where each leads among the sources, its own lists and the request. */
export function readCitations(
  work: Work,
  sources: readonly Pick<EvidenceSource, 'source' | 'text'>[],
  request = '',
): Citations {
  const book = openSources(sources, request);
  if (typeof work.value === 'string') return citationsIn(work.value, book);
  const markers = leavesOf(work.value).flatMap(({ path, value }) =>
    typeof value === 'string' ? citationsIn(value, book).markers.map((marker) => ({ ...marker, at: path })) : [],
  );
  return { markers, references: [] };
}

/** More markers than any honest work holds; the rest is not looked at. */
const MARKERS_MAX = 2_000;

function citationsIn(text: string, book: SourceBook): Citations {
  const references = referencesIn(text, book);
  const shut = new Uint8Array(text.length);
  for (const { start, end } of references) shut.fill(1, start, end);
  for (const { 0: raw, index } of text.matchAll(/```[^`]*```|`[^`\n]{1,400}`/g))
    shut.fill(1, index, index + raw.length);
  const found = [
    ...bracketed(text, references, book),
    ...authorYears(text, references, book),
    ...attributions(text, references, book),
    ...sourceLines(text, book),
    ...addresses(text, book),
  ];
  const markers: Marker[] = [];
  for (const marker of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (shut[marker.start] === 1) continue;
    const last = markers.at(-1);
    if (last === undefined || marker.start >= last.end || last.start === marker.start) markers.push(marker);
    if (markers.length >= MARKERS_MAX) break;
  }
  return { markers, references };
}

/** Those that lead nowhere beyond doubt. */
export const leadNowhere = ({ markers }: Citations): Marker[] =>
  markers.filter(({ certain, lead }) => certain && lead === undefined);

/** Why a marker leads nowhere, as a sentence that is literally true. */
export function nowhere({ kind, words, key }: Marker, sources: number): string {
  const count = sources === 1 ? 'the one source' : `any of the ${sources} sources`;
  switch (kind) {
    case 'number':
      return `“${words}” does not lead to ${count} by name or number, nor to a list of references.`;
    case 'footnote':
      return `“${words}” has no footnote in the work.`;
    case 'address':
      return `“${words}” does not stand in ${count}, nor does its host.`;
    case 'author_year':
    case 'attribution':
    case 'source_line':
      return `“${words}” names “${key}”, which stands in neither name nor text of ${count}.`;
    default:
      return kind satisfies never;
  }
}

/** Letters before a number that stand for a source, whoever counts them. */
const LABEL = /^(?:S|Src|Source|Ref|Reference|Doc|Document|Ev|Evidence|Exhibit)\.? ?\d{1,3}$/i;
const PAGE = /^(?:pp?|pages?|para|paragraph|section|sec|§|lines?|ll?|ch|chapter|table|fig)\.? ?\d/i;

function bracketed(text: string, references: readonly Reference[], book: SourceBook): Marker[] {
  const markers: Marker[] = [];
  const leads = new Map<string, { lead: Lead | undefined; kin: boolean }>();
  const byKey = new Map(references.map((reference) => [reference.key.toLowerCase(), reference]));
  for (const { 0: words, 1: inner = '', index } of text.matchAll(/\[([^[\]\n]{1,40})\](?!\()/g)) {
    const span = { start: index, end: index + words.length, words };
    if (inner.startsWith('^')) {
      const lead = leadOfFootnote(inner, byKey);
      markers.push({ ...span, kind: 'footnote', key: inner, lead, certain: true });
      continue;
    }
    if (isPlaceInList(text, span)) continue;
    const keys = inner
      .split(/\s*[,;]\s*/)
      .filter((part) => !PAGE.test(part))
      .flatMap(keysOf);
    if (keys.some((key) => key === undefined)) continue;
    for (const key of keys as string[]) {
      const known = leads.get(key) ?? { lead: leadOfKey(key, byKey, book), kin: isLabelOf(key, book) };
      leads.set(key, known);
      const bare = /^\d+$/.test(key);
      const kin = bare || known.kin || LABEL.test(key);
      const certain = kin && (!bare || !looksLikeData(text, span, keys.length));
      if (kin || known.lead !== undefined) markers.push({ ...span, kind: 'number', key, lead: known.lead, certain });
    }
  }
  return markers;
}

/** `rows[4].name`, as programs write it. */
const isPlaceInList = (text: string, { start, end }: Span): boolean =>
  /[\p{L}_\])]$/u.test(text[start - 1] ?? '') && /^(?:\.\p{L}|\[|\()/u.test(text.slice(end, end + 2));

/** `[1, 2, 3]`, `is [4]` and `cells[4]` may be values or places in a list: a lone number after a word, where a clause ends, is not. */
function looksLikeData(text: string, { start, end }: Span, keys: number): boolean {
  const before = text.slice(Math.max(0, start - 24), start);
  const closes = /^(?:["'”’)]?(?:[.,;:]|\s*(?:$|\n|\[)))/.test(text.slice(end, end + 3));
  return (
    keys > 1 ||
    !closes ||
    !/[\p{L}\p{N}%"”’)\]][.,]?\s$/u.test(before) ||
    /(?<!\p{L})(?:is|are|was|=|returns?|index|range|list|array|to|of|in|at|value|row|column|line|item|cell|step|see)\s$/iu.test(
      before,
    )
  );
}

function keysOf(part: string): (string | undefined)[] {
  const range = /^([A-Z]?)(\d{1,3})\s?[-–]\s?\1(\d{1,3})$/i.exec(part);
  if (range !== null) {
    const [from, to] = [Number(range[2]), Number(range[3])];
    return from < to && to - from < 20
      ? Array.from({ length: to - from + 1 }, (_, at) => `${range[1]}${from + at}`)
      : [undefined];
  }
  return [/^(?:\d{1,3}|[A-Za-z]{1,9}\.? ?\d{1,3})$/.test(part) ? part : undefined];
}

function leadOfFootnote(key: string, references: ReadonlyMap<string, Reference>): Lead | undefined {
  const entry = references.get(key.toLowerCase());
  return entry === undefined ? undefined : { to: 'list', entry };
}

const AUTHOR = String.raw`\p{Lu}[\p{L}'’-]{1,30}(?: (?:\p{Lu}[\p{L}'’-]{1,30}|of|for|the|de|van|von)){0,4}`;
const CITED = new RegExp(
  String.raw`^(?:see |cf\.? |e\.g\.,? )?(${AUTHOR})(?: et al\.?|(?:,| &| and) (?:(?:&|and) )?${AUTHOR})?,? ((?:19|20)\d{2})[a-z]?(?:, ?pp?\. ?\d+(?:[-–]\d+)?)?$`,
  'u',
);
const NARRATED = new RegExp(
  String.raw`(?<![\p{L}])(${AUTHOR})(?: et al\.| (?:&|and) ${AUTHOR})? \((?:19|20)\d{2}[a-z]?\)(?= (?:found|finds?|report(?:s|ed)?|show(?:s|ed)?|writes?|wrote|argue[sd]?|note[sd]?|state[sd]?|estimate[sd]?|conclude[sd]?)\b| et al)`,
  'gu',
);

function authorYears(text: string, references: readonly Reference[], book: SourceBook): Marker[] {
  const markers: Marker[] = [];
  const add = (words: string, name: string, start: number): void => {
    if (tellingWords(name).length === 0) return;
    markers.push({
      start,
      end: start + words.length,
      kind: 'author_year',
      words,
      key: name,
      lead: leadOfAuthor(name, text, references, book),
      certain: isUnheardOf(name, book),
    });
  };
  for (const { 0: words, 1: inner = '', index } of text.matchAll(/\(([^()\n]{5,160})\)/g)) {
    const parts = inner.split(/\s*;\s*/);
    const cited = parts.map((part) => CITED.exec(part)?.[1]);
    if (cited.every((name) => name !== undefined)) for (const name of cited) add(words, name ?? '', index);
  }
  for (const match of text.matchAll(NARRATED)) add(match[0], match[1] ?? '', match.index);
  return markers;
}

function leadOfAuthor(
  name: string,
  text: string,
  references: readonly Reference[],
  book: SourceBook,
): Lead | undefined {
  const words = tellingWords(name);
  const entry = references.find(({ start, end }) =>
    words.some((word) => text.slice(start, end).toLowerCase().includes(word)),
  );
  return entry === undefined ? leadOfName(name, book) : { to: 'list', entry };
}

const NAME = String.raw`\p{Lu}[\p{L}\p{N}'’&-]*\.?(?: (?:(?:of|for|the|and|de|du|van|von|&) ){0,2}\p{Lu}[\p{L}\p{N}'’&-]*\.?){0,6}`;
const ATTRIBUTED = new RegExp(
  String.raw`(?<![\p{L}])(?:[Aa]ccording to|[Aa]s (?:reported|stated|noted|published|quoted) (?:by|in)|[Rr]eported by|[Pp]ublished by|[Qq]uoted (?:by|in|from)|[Cc]ited (?:by|in|from)|(?:[Ss]urvey|[Ss]tudy|[Pp]oll|[Rr]eport|[Aa]nalysis|[Rr]esearch|[Pp]aper|[Ff]igures|[Dd]ata|[Ss]tatistics) (?:by|from|published by)) (?:the |a |an )?(?<name>${NAME})`,
  'gu',
);

function attributions(text: string, references: readonly Reference[], book: SourceBook): Marker[] {
  return [...text.matchAll(ATTRIBUTED)].flatMap((match): Marker[] => {
    const name = (match.groups?.name ?? '').replace(/\.$/, '');
    if (tellingWords(name).length === 0) return [];
    const words = match[0].replace(/\.$/, '');
    return [
      {
        start: match.index,
        end: match.index + words.length,
        kind: 'attribution',
        words,
        key: name,
        lead: leadOfAuthor(name, text, references, book),
        certain: isUnheardOf(name, book),
      },
    ];
  });
}

function sourceLines(text: string, book: SourceBook): Marker[] {
  const markers: Marker[] = [];
  for (const { 0: words, 1: listed = '', index } of text.matchAll(
    /(?<![\p{L}])[Ss]ources?: {0,2}([^\n()[\]]{2,160})/gu,
  ))
    for (const part of (listed.split(/\.\s/)[0] ?? '').split(/;|,(?= )| and |\. /)) {
      const name = part.trim().replace(/[.,]$/, '');
      // "Source: own calculation" and what goes on in small letters name nobody.
      if (!/^\p{Lu}/u.test(name) || /^(?:own|author|internal)\b/i.test(name) || tellingWords(name).length === 0)
        continue;
      const lead = leadOfName(name, book);
      markers.push({
        start: index,
        end: index + words.length,
        kind: 'source_line',
        words: words.trim(),
        key: name,
        lead,
        certain: !listed.includes(',') && isUnheardOf(name, book),
      });
    }
  return markers;
}

function addresses(text: string, book: SourceBook): Marker[] {
  return [...text.matchAll(/(?<![\p{L}\p{N}@.])(?:https?:\/\/|www\.)[^\s<>"“”)\]]{3,300}/gu)].map(
    ({ 0: raw, index }) => {
      const words = raw.replace(/[.,;:!?']+$/, '');
      const { lead, host } = leadOfAddress(words, book);
      return { start: index, end: index + words.length, kind: 'address', words, key: words, lead, certain: !host };
    },
  );
}

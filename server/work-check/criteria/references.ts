import type { EvidenceSource } from '../reading/evidence-index.ts';
import type { Span } from '../reading/sentences.ts';

/** Where a marker leads: to a source, to words of a source, or to an entry of a list in the work itself. */
export type Lead = { to: 'source' | 'words'; source: number } | { to: 'list'; entry: Reference } | { to: 'request' };

/** An entry of a list of references in the work: its number or label, and the source that it names, if one does. */
export type Reference = Span & { key: string; source: number | undefined };

/** What names of sources and of authors share and what therefore names none of them. */
const GENERIC = new Set(
  (
    'the and for from with und der die das report reports final annual survey study studies paper working preprint abstract note ' +
    'notes document doc source sources data dataset table tables result results query tool call calls transcript message ' +
    'email mail letter press release article interview page pages product order invoice policy terms version agreement ' +
    'contract clause section chapter appendix extract extracts log logs record records file files list national institute ' +
    'international federation association society university college department office ministry council committee board ' +
    'group team company journal review magazine news daily weekly city town county north south east west new january february ' +
    'march april may june july august september october november december monday tuesday wednesday thursday friday saturday ' +
    'sunday spring summer autumn winter update status budget copyright census election olympics act directive regulation season model fiscal edition volume issue number year quarter week day month global european american british ' +
    'research analysis statistics statistical bureau agency centre center services service science sciences foundation trust'
  ).split(' '),
);

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The words of a name that tell it from others. */
export function tellingWords(name: string): string[] {
  return plain(name)
    .split(' ')
    .filter((word) => word.length > 2 && !GENERIC.has(word) && !/^\d+$/.test(word));
}

/** A name or text, made ready to be asked for words. */
type Words = { text: string; words: ReadonlySet<string> };

/** Sources made ready to be asked for names, numbers and addresses; texts are read when they are first asked for. */
export type SourceBook = {
  names: readonly Words[];
  request: Words;
  /** Names and texts together. */
  texts: () => readonly Words[];
  /** What stands in square brackets in each text. */
  brackets: () => readonly ReadonlySet<string>[];
  /** Words all in capitals, and initials of capitalised words in a row. */
  initials: () => readonly ReadonlySet<string>[];
  /** Addresses in each text without scheme, and their hosts; those of the request last. */
  addresses: () => readonly ReadonlySet<string>[];
};

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function wordsOf(text: string): Words {
  const simple = plain(text);
  return { text: ` ${simple} `, words: new Set(simple.split(' ')) };
}

export function openSources(sources: readonly Pick<EvidenceSource, 'source' | 'text'>[], request = ''): SourceBook {
  const raw = once(() => sources.map(({ source, text }) => `${source}\n${text}`));
  return {
    names: sources.map(({ source }) => wordsOf(source)),
    request: wordsOf(request),
    texts: once(() => raw().map(wordsOf)),
    brackets: once(() => raw().map(bracketsIn)),
    initials: once(() => [...raw(), request].map(initialsIn)),
    addresses: once(() => [...raw(), request].map(addressesIn)),
  };
}

function bracketsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/\[([^[\]\n]{1,40})\]/g)].map(([, key = '']) => key.toLowerCase()));
}

const CAPITALISED = /\p{Lu}[\p{L}'’-]*(?:[ -](?:(?:of|for|the|and|on|in|de) ){0,2}\p{Lu}[\p{L}'’-]*){1,9}/gu;
const INITIALS_MAX = 6;

function initialsIn(text: string): Set<string> {
  const found = new Set(text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,6}(?![\p{L}\p{N}])/gu) ?? []);
  for (const [run] of text.matchAll(CAPITALISED)) {
    const initials = initialsOf(run);
    for (let from = 0; from < initials.length; from += 1)
      for (let length = 2; length <= INITIALS_MAX; length += 1) found.add(initials.slice(from, from + length));
  }
  return found;
}

const initialsOf = (name: string): string => (name.match(/(?<![\p{L}\p{N}])\p{Lu}/gu) ?? []).join('');

function bareAddress(address: string): string {
  return address
    .toLowerCase()
    .replace(/^[("'<[]+/, '')
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[/.,;:!?)\]>"']+$/, '');
}

function addressesIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const token of text.split(/[\s"'<>]+/))
    if (token.includes('.') || token.includes('//')) {
      const bare = bareAddress(token);
      found.add(bare).add(bare.split('/')[0] ?? bare);
    }
  return found;
}

/** A name leads to a source that holds this part of the words that tell it. */
const NAME_SHARED = 0.5;

/** The source that a name is of, or in whose words it stands: as a whole, or by most of the words that tell it. */
export function leadOfName(name: string, book: SourceBook): Lead | undefined {
  const named = bearerOf(name, book.names);
  if (named !== -1) return { to: 'source', source: named };
  const worded = bearerOf(name, book.texts());
  if (worded !== -1) return { to: 'words', source: worded };
  const short = book.initials().findIndex((known) => known.has(shortOf(name)));
  if (short !== -1) return short < book.names.length ? { to: 'words', source: short } : { to: 'request' };
  return bearerOf(name, [book.request]) === -1 ? undefined : { to: 'request' };
}

/** "ITC" and "International Trade Centre" are one. */
const shortOf = (name: string): string => (/^\p{Lu}{2,6}$/u.test(name) ? name : initialsOf(name).padStart(2, '?'));

function bearerOf(name: string, texts: readonly Words[]): number {
  const all = plain(name);
  const parts = all.split(' ');
  const whole = texts.findIndex(
    ({ text, words }) => parts.every((part) => words.has(part)) && text.includes(` ${all} `),
  );
  if (whole !== -1) return whole;
  const telling = tellingWords(name);
  const held = ({ words }: Words): number => telling.filter((word) => words.has(word)).length;
  return telling.length === 0 ? -1 : texts.findIndex((text) => held(text) / telling.length >= NAME_SHARED);
}

/** Whether no word that tells a name stands anywhere in what was given. */
export function isUnheardOf(name: string, { texts, request }: SourceBook): boolean {
  return tellingWords(name).every((word) => !request.words.has(word) && !texts().some(({ words }) => words.has(word)));
}

/** The source that a number or label such as `4` or `S4` stands for: by its name, by words of the evidence, by its place. */
export function leadOfKey(key: string, references: ReadonlyMap<string, Reference>, book: SourceBook): Lead | undefined {
  const entry = references.get(key.toLowerCase());
  if (entry !== undefined) return { to: 'list', entry };
  const label = plain(key);
  const bare = /^\d+$/.test(label);
  const named = book.names.findIndex(({ text }) =>
    bare
      ? new RegExp(`^ ${label} | (?:source|no|nr|doc|document|item|exhibit|s) ?${label} `).test(text)
      : text.includes(` ${label} `),
  );
  if (named !== -1) return { to: 'source', source: named };
  const worded = book
    .texts()
    .findIndex(({ words }, at) => book.brackets()[at]?.has(key.toLowerCase()) || (!bare && words.has(label)));
  if (worded !== -1) return { to: 'words', source: worded };
  // Labels of the sources' own count among themselves; a bare number, and a label that no source bears, by place.
  const place = Number(/\d+$/.exec(label)?.[0] ?? 0);
  if (!isLabelOf(key, book) && !(bare && areNumbered(book)) && place >= 1 && place <= book.names.length)
    return { to: 'source', source: place - 1 };
  return !bare && book.request.words.has(label) ? { to: 'request' } : undefined;
}

/** "[1] Recovery codes", "[2] Trusted devices": then a number leads only to the source that bears it. */
const areNumbered = ({ names }: SourceBook): boolean =>
  names.filter(({ text }) => /^ \d{1,2} \p{L}/u.test(text)).length >= NUMBERED_MIN;

const NUMBERED_MIN = 2;

/** Whether sources bear labels of this kind in their names: `S4` where one is called "S1 …". */
export function isLabelOf(key: string, { names }: SourceBook): boolean {
  const letters = plain(key).replace(/[ \d]+$/, '');
  return letters !== '' && names.some(({ text }) => new RegExp(` ${letters} ?\\d+ `).test(text));
}

/** The source in whose text or name an address stands; `host` when only its host does. */
export function leadOfAddress(address: string, book: SourceBook): { lead: Lead | undefined; host: boolean } {
  const bare = bareAddress(address);
  const find = (words: string): Lead | undefined => {
    const source = book.addresses().findIndex((known) => known.has(words));
    if (source === -1) return undefined;
    return source < book.names.length ? { to: 'words', source } : { to: 'request' };
  };
  const lead = find(bare);
  return { lead, host: lead === undefined && find(bare.split('/')[0] ?? bare) !== undefined };
}

const LIST_TITLE =
  /^(?:#{1,6}\s*)?(?:\*\*)?(?:references|sources|bibliography|works cited|literature|footnotes|notes|citations)(?:\*\*)?:?(?:\*\*)?$/i;
const KEYED = /^[ \t]{0,8}(?:\[(\^?[\p{L}\p{N}][\p{L}\p{N}. -]{0,12})\]:?|(\d{1,3})[.)])[ \t]+(\S[^\n]{2,})$/u;
/** An entry is of a source when it shares this part of the words that tell it. */
const SHARED_WORDS = 0.5;

/** Lists of references in a text: lines that open with `[4]`, and what stands below a title such as "Sources". */
export function referencesIn(text: string, book: SourceBook): Reference[] {
  const references: Reference[] = [];
  let inList = false;
  let start = 0;
  for (const line of text.split('\n')) {
    const bare = line.trim();
    if (LIST_TITLE.test(bare)) inList = true;
    else if (/^#{1,6}\s/.test(bare)) inList = false;
    const keyed = KEYED.exec(line.replace(/\r$/, ''));
    const key = keyed?.[1] ?? (inList ? keyed?.[2] : undefined);
    if (key !== undefined)
      references.push({ start, end: start + line.length, key, source: sourceOfEntry(keyed?.[3] ?? '', book) });
    else if (inList && /^[-*•]\s+\S/.test(bare))
      references.push({ start, end: start + line.length, key: '', source: sourceOfEntry(bare.slice(2), book) });
    start += line.length + 1;
  }
  return references;
}

function sourceOfEntry(entry: string, { names, texts }: SourceBook): number | undefined {
  const telling = tellingWords(entry);
  const whole = plain(entry);
  const shares = texts().map(({ words }, at) => {
    const name = (names[at]?.text ?? '').trim();
    if (name !== '' && (` ${whole} `.includes(` ${name} `) || (whole !== '' && name.includes(whole)))) return 1;
    return telling.length === 0 ? 0 : telling.filter((word) => words.has(word)).length / telling.length;
  });
  const best = Math.max(0, ...shares);
  return best >= SHARED_WORDS ? shares.indexOf(best) : undefined;
}

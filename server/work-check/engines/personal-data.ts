import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Span } from '../reading/sentences.ts';
import { findPersons, personNames } from './person-names.ts';
import {
  findPersonalNumbers,
  hasContext,
  isNumberOfThing,
  type PersonalNumber,
  wholeWords,
} from './personal-numbers.ts';

/** Personal data in a text. What is not certain may be something else, and fails nothing. */
export type PersonalData = Span & {
  kind: 'email' | 'phone' | 'address' | 'birth_date' | 'name' | PersonalNumber['kind'];
  certain: boolean;
  /** In words, such as "an e-mail address". */
  what: string;
};

/** Personal data as it stands in a source: whatever is beside it there, in the work it is the same. */
export type KnownValue = Pick<PersonalData, 'kind' | 'what'> & { text: string };

/**
 * Personal data in a text, in the order met, none inside another. `names` are persons and `values` other data known from
 * elsewhere (see `personNames` and `personalValues`); persons that the text itself gives away are found besides.
 */
export function findPersonalData(
  text: string,
  names: readonly string[] = [],
  values: readonly KnownValue[] = [],
): PersonalData[] {
  const people = findPersons(text, [...new Set([...names, ...personNames(text)])]);
  const found: PersonalData[] = [
    ...emails(text),
    ...findPersonalNumbers(text),
    ...phones(text),
    ...birthDates(text),
    ...values.flatMap((value) => placesOf(value, text)),
    ...people.map((person) => ({ ...person, kind: 'name' as const })),
    ...addresses(text, people),
  ];
  return withoutOverlaps(found, text.length).sort((a, b) => a.start - b.start);
}

const VALUES_MAX = 500;

/** What texts hold of certain personal data besides names, at most 500. */
export function personalValues(texts: readonly string[]): KnownValue[] {
  const values = new Map<string, KnownValue>();
  for (const text of texts)
    for (const { kind, what, certain, start, end } of findPersonalData(text))
      if (certain && kind !== 'name' && values.size < VALUES_MAX)
        values.set(text.slice(start, end), { kind, what, text: text.slice(start, end) });
  return [...values.values()];
}

function placesOf({ kind, what, text: value }: KnownValue, text: string): PersonalData[] {
  const found: PersonalData[] = [];
  for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + value.length)) {
    const end = start + value.length;
    const whole = !/[\p{L}\p{N}]/u.test(text[start - 1] ?? '') && !/[\p{L}\p{N}]/u.test(text[end] ?? '');
    if (whole) found.push({ start, end, kind, what, certain: true });
  }
  return found;
}

/** The certain ones win over those that only may be, the earlier kinds over the later ones. */
function withoutOverlaps(found: readonly PersonalData[], length: number): PersonalData[] {
  const taken = new Uint8Array(length);
  return [...found.filter(({ certain }) => certain), ...found.filter(({ certain }) => !certain)].filter((item) => {
    if (taken.subarray(item.start, item.end).includes(1)) return false;
    taken.fill(1, item.start, item.end);
    return true;
  });
}

/** Mailboxes of an office, not of a person. */
const SHARED =
  /^(?:info|contact|support|sales|press|media|office|accounts?|accounting|billing|invoices?|hello|help|helpdesk|no-?reply|service|services|team|admin|webmaster|postmaster|orders?|jobs|careers|legal|privacy|security|newsroom|enquiries|inquiries|hr|mail|marketing|feedback|customer-?(?:care|service)|bookings?|reservations?)$/i;

function emails(text: string): PersonalData[] {
  return [
    ...text.matchAll(
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+-]{0,63}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu,
    ),
  ].map(({ 0: raw, index }) => {
    const shared = SHARED.test(raw.split('@')[0] ?? '');
    const what = shared ? 'the e-mail address of an office' : 'an e-mail address';
    return { start: index, end: index + raw.length, kind: 'email', certain: !shared, what };
  });
}

const PHONE_WORDS = wholeWords(
  'phone|phones|telephone|tel|mobile|cell|cellphone|fax|call|calls|called|calling|ring|whatsapp|sms|dial|hotline|telefon|voicemail',
);
const RIGHT_AFTER_PHONE =
  /(?:phone|telephone|tel|mobile|cell|fax|telefon|whatsapp)\b\.?(?: ?(?:no|number)\.?)?\W{0,3}$/i;
const DATE =
  /\d{4}-\d{1,2}-\d{1,2}|\b\d{1,2}([./-])\d{1,2}\1\d{2,4}\b|\b\d{4} ?(?:--?|\/) ?\d{4}\b(?!\d)|\d{1,2}:\d{2}/;
const THOUSANDS = /^\+?\d{1,3}(?: \d{3})+$/;
const MEASURED =
  /^\s?(?:%|€|\$|£|EUR|USD|GBP|CHF|SEK|km|kg|kWh|percent|euros?|dollars?|pounds?|people|units|pieces|tonnes?)/;
const FREE_OF_CHARGE = /^(?:\+?1[ -])?\(?(?:0?800|0?808|888|877|866|855|844|833|0?900)\)?[ -]/;

function phones(text: string): PersonalData[] {
  const found: PersonalData[] = [];
  const shape = /(?<![\p{L}\p{N}_.,/:+€$£-])(?:\+|\()?\d[\d() ./-]{5,22}\d(?![\p{L}\p{N}_]|[.,/:-]\d)/gu;
  for (const { 0: raw, index } of text.matchAll(shape)) {
    const span = { start: index, end: index + raw.length };
    const digits = raw.replaceAll(/\D/g, '').length;
    if (digits < 7 || digits > 15 || DATE.test(raw) || isNumberOfThing(text, span)) continue;
    if (MEASURED.test(text.slice(span.end, span.end + 10))) continue;
    const certain = isPhone(text, span, raw);
    if (certain === undefined) continue;
    const service = isFreeOfCharge(raw);
    const what = service ? 'the phone number of a service' : 'a phone number';
    found.push({ ...span, kind: 'phone', certain: certain && !service, what });
  }
  return found;
}

/** Whether digits of this shape are a phone number: for certain, possibly, or not at all. */
function isPhone(text: string, span: Span, raw: string): boolean | undefined {
  if (RIGHT_AFTER_PHONE.test(text.slice(Math.max(0, span.start - 24), span.start))) return true;
  const grouped = /^[+(0]/.test(raw) || /\d[ ./-]\d/.test(raw);
  const named = grouped && !THOUSANDS.test(raw) && hasContext(text, span, PHONE_WORDS);
  if (named) return true;
  if (raw.startsWith('+')) return (!THOUSANDS.test(raw) && parsePhoneNumberFromString(raw)?.isValid()) || undefined;
  if (/^\(\d{3}\) ?\d{3}-\d{4}$|^\d{3}-\d{3}-\d{4}$/.test(raw)) return true;
  return /^0\d{2,5}[ /-]\d[\d ]{4,10}$/.test(raw) ? false : undefined;
}

function isFreeOfCharge(raw: string): boolean {
  const type = raw.startsWith('+') ? parsePhoneNumberFromString(raw)?.getType() : undefined;
  return (
    FREE_OF_CHARGE.test(raw) ||
    type === 'TOLL_FREE' ||
    type === 'SHARED_COST' ||
    type === 'PREMIUM_RATE' ||
    type === 'UAN'
  );
}

const DAY = String.raw`(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}(?:st|nd|rd|th)? \p{L}{3,9},? \d{4}|\p{L}{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4})`;
const BIRTH = new RegExp(
  String.raw`(?<![\p{L}])(?:(?<label>date[ _]of[ _]birth|birth ?date|dob|d\.o\.b\.|birthday)|born(?: on)?)["']?\s{0,2}[:=]?\s{0,2}(?:is |was )?["']?(?<day>${DAY})`,
  'giu',
);

function birthDates(text: string): PersonalData[] {
  return [...text.matchAll(BIRTH)].map((match) => {
    const end = match.index + match[0].length;
    const certain = match.groups?.label !== undefined;
    return { start: end - (match.groups?.day?.length ?? 0), end, kind: 'birth_date', certain, what: 'a date of birth' };
  });
}

const ROAD =
  '(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Court|Close|Crescent|Way|Square|Boulevard|Blvd|Terrace|Place|Gardens|Row|Quay)';
const ADDRESSES: readonly RegExp[] = [
  new RegExp(
    String.raw`(?<![\p{L}\p{N}.,-])\d{1,5}[A-Za-z]?,? (?:\p{Lu}[\p{L}'-]{1,30} ){1,4}${ROAD}(?![\p{L}])`,
    'gu',
  ),
  new RegExp(String.raw`(?<![\p{L}])(?:\p{Lu}[\p{L}'-]{1,30} ){1,4}${ROAD} \d{1,4}[a-z]?(?![\p{L}\p{N}])`, 'gu'),
  /(?<![\p{L}])\p{Lu}[\p{L}-]{2,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|gade|gatan|vägen|vej|straat|laan|katu) \d{1,4}[a-z]?(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])\d{1,4}(?: bis)?,? (?:rue|avenue|boulevard|place|chemin) (?:[\p{L}'’-]{1,20} ){0,4}\p{Lu}[\p{L}'’-]{1,20}/gu,
  /(?<![\p{L}])(?:Rue|Calle|Via|Plaza|Rua|Ulica|ul\.) (?:[\p{L}'’-]{1,20} ){0,4}\p{Lu}[\p{L}'’-]{1,20},? \d{1,4}(?![\p{L}\p{N}])/gu,
];
const HOME = wholeWords(
  'home address|(?:his|her|their|my|private|billing|delivery|shipping|postal) address|lives (?:at|in|on)|living at|lived at|resides at|residing at|moved to',
);

/** Postal addresses: certain where the text says that somebody lives there or names somebody right before, else perhaps those of an office. */
function addresses(text: string, people: readonly Span[]): PersonalData[] {
  const ends = new Set(people.map(({ end }) => end));
  return ADDRESSES.flatMap((shape) => [...text.matchAll(shape)]).map(({ 0: raw, index }) => {
    const span = { start: index, end: index + raw.length };
    const between = ends.has(index)
      ? ''
      : /[,:\s]{1,4}(?:of |at )?$/.exec(text.slice(Math.max(0, index - 8), index))?.[0];
    const named = between !== undefined && ends.has(index - between.length);
    const certain = named || hasContext(text, span, HOME);
    return {
      ...span,
      kind: 'address',
      certain,
      what: certain ? 'a postal address' : 'a postal address, perhaps of an office',
    };
  });
}

/**
 * A text as a report may keep it: personal data that is certain is named by its kind or cut to what the buyer knows it by.
 * Names are kept unless they are handed in: they say who did what. Figures, dates and numbers of things stay.
 */
export function maskPersonalData(text: string, names: readonly string[] = []): string {
  let masked = '';
  let from = 0;
  for (const item of findPersonalData(text, names)) {
    const raw = text.slice(item.start, item.end);
    if (!item.certain || (item.kind === 'name' && !names.some((name) => name.includes(raw) || raw.includes(name))))
      continue;
    masked += text.slice(from, item.start) + maskOf(item, raw);
    from = item.end;
  }
  return masked + text.slice(from);
}

/** How a report names what it found: by its kind, with no more than the buyer needs to know it by. */
export function shownAs(item: PersonalData, text: string): string {
  const raw = text.slice(item.start, item.end);
  switch (item.kind) {
    case 'email':
    case 'name':
      return `${item.what} (${maskOf(item, raw)})`;
    case 'phone':
    case 'card':
      return `${item.what} ending in ${raw.replaceAll(/\D/g, '').slice(item.kind === 'card' ? -4 : -2)}`;
    default:
      return item.what;
  }
}

function maskOf({ kind, what }: PersonalData, raw: string): string {
  const word = what.replace(/^(?:an?|the) /, '');
  switch (kind) {
    case 'email':
      return maskedEmail(raw);
    case 'name':
      return raw.replaceAll(/(?<=\p{L})[\p{L}'’]+\.?/gu, '.');
    case 'card':
    case 'phone':
      return `[${word} …${raw.replaceAll(/\D/g, '').slice(kind === 'card' ? -4 : -2)}]`;
    case 'iban':
      return `[${word} ${raw.slice(0, 2)}…]`;
    case 'address':
    case 'birth_date':
    case 'ip':
    case 'national_number':
      return `[${word}]`;
    default:
      return kind satisfies never;
  }
}

/** `eliska.moravec@mail.example` as `e.m…@mail.example`; a domain that repeats the name is cut too. */
function maskedEmail(raw: string): string {
  const [local = '', domain = ''] = raw.split('@');
  const parts = local.split(/[._+-]+/).filter((part) => part !== '');
  const initials = parts
    .slice(0, 2)
    .map((part) => part[0])
    .join('.');
  const own = parts.some((part) => part.length > 2 && domain.toLowerCase().includes(part.toLowerCase()));
  return `${initials}…@${own ? `${domain[0]}….${domain.split('.').at(-1)}` : domain}`;
}

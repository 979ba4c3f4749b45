import { isIP, isIPv4 } from 'node:net';
import validator from 'validator';
import type { Span } from '../reading/sentences.ts';

/** A number found, what it is in words, and whether it is that for certain or only may be. */
export type PersonalNumber = Span & {
  kind: 'iban' | 'card' | 'ip' | 'national_number';
  certain: boolean;
  what: string;
};

const WORDS_AROUND = 5;

/** The words on either side of a span, on its line: five at most, single spaces between them. */
function wordsAround(text: string, { start, end }: Span): { before: string; after: string } {
  const before = text.slice(Math.max(text.lastIndexOf('\n', start - 1) + 1, start - 80), start);
  const stop = text.indexOf('\n', end);
  const after = text.slice(end, Math.min(stop === -1 ? text.length : stop, end + 80));
  return {
    before: before
      .split(/\s+/)
      .slice(-WORDS_AROUND - 1)
      .join(' '),
    after: after
      .split(/\s+/)
      .slice(0, WORDS_AROUND + 1)
      .join(' '),
  };
}

/** A pattern that finds one of these alternatives as a whole word. */
export const wholeWords = (alternatives: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives})(?![\p{L}\p{N}])`, 'iu');

/** Whether one of the words stands beside a span. */
export function hasContext(text: string, span: Span, words: RegExp): boolean {
  const { before, after } = wordsAround(text, span);
  return words.test(before) || words.test(after);
}

/** A word right before a number that makes it the number of a thing. */
const THING =
  /(?<![\p{L}])(?:orders?|invoices?|tickets?|case|ref(?:erence)?|article|item|sku|part|serial|batch|lot|tracking|consignment|shipment|parcel|po|version|build|release|isbn|issn|doi|run|job|commit|revision|sequence|table|figure|patent|grant|article|product|model|ean|gtin|barcode|transaction|booking|policy|contract)(?: (?:no|nr|number|id|code|key))?\.?\s?[:#]?\s?$/iu;

export const isNumberOfThing = (text: string, { start }: Span): boolean =>
  THING.test(text.slice(Math.max(0, start - 40), start));

const ANY_IDENTITY =
  '|national (?:id|identity|identification)(?: (?:card|number|no))?|identity (?:card|number)|(?:personal )?ID (?:number|no)';
const ANY = (): boolean => true;

const national = (check: (digits: string) => boolean, word: string, context: string, shape: RegExp) => ({
  check,
  what: word,
  context: wholeWords(context + (check === ANY ? '' : ANY_IDENTITY)),
  shape,
});
const bounded = (shape: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}.,/+-])${shape}(?![\p{L}\p{N}]|[.,/-]\d)`, 'gu');

/** Numbers that states give to people. Digits alone prove little, so a word beside them must say what they are. */
const NATIONAL = [
  national(isNhsNumber, 'a UK NHS number', 'NHS', bounded(String.raw`\d{3}[ -]?\d{3}[ -]?\d{4}`)),
  national(
    ANY,
    'a UK National Insurance number',
    'National Insurance|NINO|NI (?:number|no)',
    bounded(String.raw`(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]`),
  ),
  national(
    ANY,
    'a US Social Security number',
    'SSN|social security',
    bounded(String.raw`(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}`),
  ),
  national(
    (digits) => validator.isIdentityCard(digits, 'ES'),
    'a Spanish NIF or NIE',
    'NIF|NIE|DNI|tax|identity|ID',
    bounded(String.raw`[XYZ\d]-?\d{7}-?[A-HJ-NP-TV-Z]`),
  ),
  national(
    (digits) => validator.isIdentityCard(digits, 'PL'),
    'a Polish PESEL number',
    'PESEL',
    bounded(String.raw`\d{11}`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'de-DE'),
    'a German tax number',
    'tax|Steuer[- ]?ID|Steueridentifikationsnummer|IdNr|TIN',
    bounded(String.raw`\d{2} ?\d{3} ?\d{3} ?\d{3}`),
  ),
  national(
    (digits) => validator.isIdentityCard(digits, 'IN'),
    'an Indian Aadhaar number',
    'Aadhaar|Aadhar|UIDAI|UID',
    bounded(String.raw`\d{4} ?\d{4} ?\d{4}`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'it-IT'),
    'an Italian tax code',
    'codice fiscale|tax|CF',
    bounded(String.raw`[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'fr-FR'),
    'a French tax number',
    'tax|numéro fiscal|fiscal|SPI',
    bounded(String.raw`[0-3]\d{12}`),
  ),
  national(
    isFrenchSecurityNumber,
    'a French social security number',
    'NIR|INSEE|sécurité sociale|social security',
    bounded(String.raw`[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'nl-NL'),
    'a Dutch BSN',
    'BSN|burgerservicenummer',
    bounded(String.raw`\d{9}`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'sv-SE'),
    'a Swedish personal number',
    'personnummer|personal (?:identity )?number',
    bounded(String.raw`(?:\d{2})?\d{6}[-+]?\d{4}`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'dk-DK'),
    'a Danish CPR number',
    'CPR',
    bounded(String.raw`\d{6}-?\d{4}`),
  ),
  national(
    (digits) => validator.isIdentityCard(digits, 'FI'),
    'a Finnish personal identity code',
    'HETU|henkilötunnus|personal identity',
    bounded(String.raw`\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'pt-BR'),
    'a Brazilian CPF',
    'CPF',
    bounded(String.raw`\d{3}\.?\d{3}\.?\d{3}-?\d{2}`),
  ),
  national(
    (digits) => validator.isTaxID(digits, 'en-CA'),
    'a Canadian Social Insurance number',
    'SIN|social insurance',
    bounded(String.raw`\d{3}[ -]?\d{3}[ -]?\d{3}`),
  ),
  national(ANY, 'a passport number', 'passport (?:no|nr|number)|passport', bounded(String.raw`[A-Z]{1,2}\d{6,8}`)),
] as const;

/** Shapes that nothing else has: they need no word beside them. */
const UNMISTAKABLE = /^(?:[A-Z]{2} \d{2} \d{2} \d{2} [A-D]|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z])$/;

/** Bank accounts, payment cards, network addresses and numbers of citizens in a text, each checked by its check digits where it has any. */
export function findPersonalNumbers(text: string): PersonalNumber[] {
  return [...ibans(text), ...cards(text), ...nationalNumbers(text), ...networkAddresses(text)];
}

function nationalNumbers(text: string): PersonalNumber[] {
  return NATIONAL.flatMap(({ check, what, context, shape }) =>
    [...text.matchAll(shape)].flatMap(({ 0: raw, index }): PersonalNumber[] => {
      const span = { start: index, end: index + raw.length };
      if (!check(raw.replaceAll(/[ -]/g, '')) && !check(raw)) return [];
      const named = hasContext(text, span, context);
      // Digits that nobody calls a number of a person are figures like others.
      if (!named && (/^[\d ]+$/.test(raw) || isNumberOfThing(text, span))) return [];
      return [{ ...span, kind: 'national_number', certain: named || UNMISTAKABLE.test(raw), what }];
    }),
  );
}

/** Modulus 11 (NHS Data Model and Dictionary, NHS number). */
function isNhsNumber(digits: string): boolean {
  if (!/^\d{10}$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < 9; at += 1) sum += Number(digits[at]) * (10 - at);
  const rest = 11 - (sum % 11);
  return rest !== 10 && (rest === 11 ? 0 : rest) === Number(digits[9]);
}

/** Key of the NIR: 97 less the rest of the number by 97 (INSEE). */
function isFrenchSecurityNumber(digits: string): boolean {
  return /^\d{15}$/.test(digits) && 97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13));
}

const IBAN_LENGTH_MIN = 15;

function ibans(text: string): PersonalNumber[] {
  const found: PersonalNumber[] = [];
  for (const { 0: raw, index } of text.matchAll(/(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}/gu)) {
    // What follows may read on into the next word: each country has one length, so at most one prefix is right.
    for (let length = raw.length; length >= IBAN_LENGTH_MIN; length -= 1) {
      const part = raw.slice(0, length);
      if (!validator.isIBAN(part.replaceAll(/[ -]/g, '')) || /[ -]$/.test(part)) continue;
      found.push({ start: index, end: index + length, kind: 'iban', certain: true, what: 'an IBAN' });
      break;
    }
  }
  return found;
}

const CARD_WORDS = wholeWords(
  'card|cards|visa|mastercard|amex|american express|credit|debit|payment|cvv|cvc|expir\\w+',
);

function cards(text: string): PersonalNumber[] {
  const found: PersonalNumber[] = [];
  for (const { 0: raw, index } of text.matchAll(
    /(?<![\p{L}\p{N}.,/+-])\d(?:[ -]?\d){12,18}(?![\p{L}\p{N}]|[.,/-]\d)/gu,
  )) {
    const span = { start: index, end: index + raw.length };
    if (!validator.isCreditCard(raw.replaceAll(/[ -]/g, ''))) continue;
    const grouped = /^\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}$|^\d{4}([ -])\d{6}\2\d{5}$/.test(raw);
    const named = hasContext(text, span, CARD_WORDS);
    if (!grouped && !named && isNumberOfThing(text, span)) continue;
    found.push({
      ...span,
      kind: 'card',
      certain: (grouped || named) && !isNumberOfThing(text, span),
      what: 'a payment card number',
    });
  }
  return found;
}

const OWN_NETWORK = /^(?:10\.|127\.|0\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)|^(?:fe80|f[cd]|::1?$)/i;

const NETWORK_WORDS = wholeWords('IP|IPv4|IPv6|visitor|user|users|client|logged in|login|device|person|caller');

function networkAddresses(text: string): PersonalNumber[] {
  const found: PersonalNumber[] = [];
  for (const { 0: raw, index } of text.matchAll(
    /(?<![\p{L}\p{N}.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]{0,4}(?::[\da-fA-F]{0,4}){3,7})(?![\p{L}\p{N}]|[.:]\d)/gu,
  )) {
    if (isIP(raw) === 0) continue;
    const span = { start: index, end: index + raw.length };
    const named = hasContext(text, span, NETWORK_WORDS);
    if (!named && isIPv4(raw)) continue;
    found.push({ ...span, kind: 'ip', certain: named && !OWN_NETWORK.test(raw), what: 'an IP address' });
  }
  return found;
}

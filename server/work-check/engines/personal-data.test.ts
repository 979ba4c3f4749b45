import { describe, expect, it } from 'vitest';
import { personNames } from './person-names.ts';
import { findPersonalData, maskPersonalData, personalValues, shownAs } from './personal-data.ts';

const found = (text: string, names: readonly string[] = []) =>
  findPersonalData(text, names).map(
    ({ kind, certain, start, end }) => `${certain ? '' : '?'}${kind}: ${text.slice(start, end)}`,
  );

describe('personal data is found', () => {
  it.each([
    ['Customer (e.moravec@kelpmail.example) cannot log in.', ['email: e.moravec@kelpmail.example']],
    ['Write to jürgen.groß@post.example.', ['email: jürgen.groß@post.example']],
    ['Please call me on 0555 0143 if needed.', ['phone: 0555 0143']],
    ['Reach her at +49 30 901820.', ['phone: +49 30 901820']],
    ['Tel.: 5550143', ['phone: 5550143']],
    ['The flat owner, (415) 555-0132, was not in.', ['phone: (415) 555-0132']],
    ['Pay to DE89 3704 0044 0532 0130 00 BIC COBADEFF.', ['iban: DE89 3704 0044 0532 0130 00']],
    ['IBAN GB29NWBK60161331926819', ['iban: GB29NWBK60161331926819']],
    ['Card 4111 1111 1111 1111, expires 05/27', ['card: 4111 1111 1111 1111']],
    ['paid with amex 378282246310005', ['card: 378282246310005']],
    ['The visitor came from IP 203.0.113.77.', ['ip: 203.0.113.77']],
    ['Login of user at 2001:db8:85a3::8a2e:370:7334', ['ip: 2001:db8:85a3::8a2e:370:7334']],
    ['NHS number 943 476 5919', ['national_number: 943 476 5919']],
    ['943 476 5919 is her NHS number', ['national_number: 943 476 5919']],
    ['National Insurance: AB123456C', ['national_number: AB123456C']],
    ['NINO AB 12 34 56 C', ['national_number: AB 12 34 56 C']],
    ['SSN 536-22-1234', ['national_number: 536-22-1234']],
    ['su DNI es 12345678Z', ['national_number: 12345678Z']],
    ['NIE: X1234567L', ['national_number: X1234567L']],
    ['PESEL 44051401359', ['national_number: 44051401359']],
    ['Steuer-ID 86 095 742 719', ['national_number: 86 095 742 719']],
    ['Aadhaar 2341 2341 2346', ['national_number: 2341 2341 2346']],
    ['Codice fiscale RSSMRA85T10A562S', ['national_number: RSSMRA85T10A562S']],
    ['Date of birth: 4 May 1987', ['birth_date: 4 May 1987']],
    ['She lives at 14 Alder Grove Road.', ['address: 14 Alder Grove Road']],
    ['Home address Lindenstraße 12, 10969 Berlin', ['address: Lindenstraße 12']],
    ['Dr. Hanna Weiss signed.', ['name: Dr. Hanna Weiss']],
    ['Ticket from a user: from Bram Oduya, yesterday', ['name: Bram Oduya']],
  ])('in %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    ['The user Eliska Moravec is locked out.', 'name: Eliska Moravec'],
    ['E. Moravec is locked out.', 'name: E. Moravec'],
    ['Ms Moravec is locked out.', 'name: Ms Moravec'],
    ['The account of Moravec is locked.', 'name: Moravec'],
    ['Moravec Print is closed.', '?name: Moravec'],
    ['Hello Eliska, thank you.', '?name: Eliska'],
  ])('by a name known from elsewhere: %j', (text, expected) => {
    expect(found(text, ['Eliska Moravec'])).toEqual([expected]);
  });
});

it('what is personal data in a source is so in the work, whatever stands beside it there', () => {
  const ticket =
    'From Eliska Moravec <e.moravec@kelpmail.example>, 14 Harrow Lane. Please call me on 0555 0143. Date of birth: 4 May 1987.';
  const values = personalValues([ticket]);
  const work = 'Customer (0555 0143), 4 May 1987, cannot log in. Ticket 10555 01430 of 4 May 2026.';
  expect(findPersonalData(work)).toEqual([]);
  expect(findPersonalData(work, [], values).map(({ kind, certain }) => [kind, certain])).toEqual([
    ['phone', true],
    ['birth_date', true],
  ]);
});

describe('what only may be personal data is not certain', () => {
  it.each([
    ['Invoices go to accounts@tallowfield.example.', ['?email: accounts@tallowfield.example']],
    ['The Civic Desk, Harland Street 8, is open.', ['?address: Harland Street 8']],
    ['Call 0800 123 4567 free of charge.', ['?phone: 0800 123 4567']],
    ['He was born on 14 March 1879.', ['?birth_date: 14 March 1879']],
    ['Part number 536-22-1234.', []],
    ['Sample 536-22-1234 was lost.', ['?national_number: 536-22-1234']],
    ['The server 10.0.0.12 is an IP of ours.', ['?ip: 10.0.0.12']],
  ])('in %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});

describe('nothing is found', () => {
  it.each([
    'thank you for your message about order 88-20417.',
    'Call 5 moved 27 of 1,240 accounts on 2025-05-20 at 09:00.',
    'Call us between 2024-05-20 and 20.05.2024.',
    'Passengers rose by +12 345 678 in 2024.',
    'We called 1 200 000 people.',
    'Revenue was 1 234 567 890 EUR in 2023 and 2,345,678 in 2024.',
    'Tracking number 4111111111111111 left the port.',
    'Order 9434765919 was paid; the total is 9434765919.',
    'Version 1.2.3.4 fixes 12:30:45 and 4.2.1.',
    'Consignment KR-90377, article 77-310, invoice INV-2093, run 5561.',
    'ISBN 978-3-16-148410-0 and doi 10.1000/182',
    'The train at 13:05, from Vila Torra, is late; trip to Castelmar Bay, daily.',
    'From New York to San Diego; from Lumera Supply, yesterday.',
    'Line Total: 20\nDue Date: 3 May\nLine Total: 30',
    'The Fjord Express, the Harbour Line and Service Team North were on time.',
    'the Supplier, the Customer and Customer Data',
    '14:02:17 Pool Limit: 200',
    'Bates Motel (2013 -- 2017), for which he was called',
  ])('in %j', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('names of persons are read where a text gives them away', () => {
  it.each([
    ['T-8801, from Eliska Moravec <e.moravec@kelpmail.example>: Since', ['Eliska Moravec']],
    ['Sound: technician J. Mbeki, 310.00 per day', ['J. Mbeki']],
    ['Signed for the buyer by H. Pruett, goods-in.', ['H. Pruett']],
    ['Passenger: A. Solberg. Booking reference QT7RLM.', ['A. Solberg']],
    ['[09:02] Ines Falk: Three things.', ['Ines Falk']],
    ['Ines Falk: Yes.\nTom Vane: No.\nInes Falk: Why?', ['Ines Falk']],
    ['{"customer_name": "Petra van Dijk"}', ['Petra van Dijk']],
    ['Ines Falk, head of facilities, agreed.', ['Ines Falk']],
    ['Buyer: Oakfield Workshops. From Tallow Trust, yesterday', []],
  ])('in %j', (text, names) => {
    expect(personNames(text)).toEqual(names);
  });
});

describe('a report keeps no personal data', () => {
  it.each([
    ['Customer (e.moravec@kelpmail.example) cannot log in', 'Customer (e.m…@kelpmail.example) cannot log in'],
    ['anna@berg-anna.example wrote', 'a…@b….example wrote'],
    ['Call 0555 0143 on 3 May', 'Call [phone number …43] on 3 May'],
    ['Card 4111 1111 1111 1111', 'Card [payment card number …1111]'],
    ['DE89 3704 0044 0532 0130 00', '[IBAN DE…]'],
    ['NHS number 943 476 5919', 'NHS number [UK NHS number]'],
  ])('%j is quoted as %j', (text, masked) => {
    expect(maskPersonalData(text)).toBe(masked);
    expect(maskPersonalData(masked)).toBe(masked);
  });

  it.each([
    'On 10 March 2026 order 88-20417 cost EUR 1,850.00 for 3 x 1,240 units (12.5%).',
    '2025-04-08T13:58:10Z checkout-api 4f2c deploy started (pipeline 1187)',
    'Owner: T. Brisco. Open from 9:00 to 15:30 at Harland Street 8.',
    '1 pmol/L equals about 1.355 pg/mL; 61,480 parcels against 58,000',
  ])('%j is left as it is', (text) => {
    expect(maskPersonalData(text)).toBe(text);
  });

  it.each([
    ['Write to e.moravec@kelpmail.example', 'an e-mail address (e.m…@kelpmail.example)'],
    ['Call 0555 0143', 'a phone number ending in 43'],
    ['Dr. Hanna Weiss signed', 'the name of a person (D. H. W.)'],
    ['IBAN GB29NWBK60161331926819', 'an IBAN'],
  ])('%j is told as %s', (text, shown) => {
    expect(findPersonalData(text).map((item) => shownAs(item, text))).toEqual([shown]);
  });

  it('names of persons are cut only where they are handed in', () => {
    expect(maskPersonalData('Eliska Moravec wrote', ['Eliska Moravec'])).toBe('E. M. wrote');
    expect(maskPersonalData('Dr. Hanna Weiss wrote')).toBe('Dr. Hanna Weiss wrote');
  });
});

it('a long text is read in time that grows with its length', () => {
  for (const part of ['1', '1 ', 'Aa ', 'A.', 'a@', 'a.', '12-', '(0', 'AB12', ': ', 'from Aa Bb '])
    expect(findPersonalData(part.repeat(20_000))).toBeInstanceOf(Array);
});

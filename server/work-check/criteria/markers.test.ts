import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { readWork } from '../statements.ts';
import { leadNowhere, nowhere, readCitations } from './markers.ts';
import { readQuotations } from './quotations.ts';
import { sourcedStatements } from './sourced.ts';

const sources = [
  {
    source: 'S1 Harrowgate City Logistics Pilot, final report',
    text: 'The bikes handled 17.2 parcels per hour, says Ellingsen (BRT).',
  },
  {
    source: 'S2 Institute for Freight Studies, working paper 31',
    text: 'See https://freight.example/wp31 and the Nordic survey.',
  },
  {
    source: 'S3 Parcel Weekly, interview with O. Brandt',
    text: 'A: The people side. "I would not start with fewer than two."',
  },
];
const plainly = [
  { source: 'Traffic table', text: 'Line | Passengers\nHarbour | 412,300' },
  { source: 'Notes', text: 'The count is final. r.lindqvist: raising the limit' },
];
const lost = (work: JsonValue, from = sources, request = '') =>
  leadNowhere(readCitations(readWork(work), from, request)).map(({ key, at }) =>
    at === undefined ? key : `${at}: ${key}`,
  );

describe('a marker that leads nowhere is found', () => {
  it.each<[JsonValue, string[]]>([
    ['It rose by 4 percent [S4].', ['S4']],
    ['It rose by 4 percent [S1, S5].', ['S5']],
    ['It rose by 4 percent [4].', ['4']],
    ['It rose by 4 percent.[^2]\n\n[^1]: Harrowgate pilot', ['^2']],
    ['It rose (Hansen, 2021).', ['Hansen']],
    ['It rose (Hansen 2021).', ['Hansen']],
    ['It rose (Ellingsen, 2020; Hansen & Moe, 2021, p. 4).', ['Hansen']],
    ['Hansen et al. (2021) found a rise.', ['Hansen']],
    ['It rose, according to the Courier Federation.', ['Courier Federation']],
    ['In line with a 2023 survey by the Velo Courier Federation, it rose.', ['Velo Courier Federation']],
    ['Passengers rose. Source: Statistics Bureau of Kelp', ['Statistics Bureau of Kelp']],
    ['See https://made-up.example/report for more.', ['https://made-up.example/report']],
    [{ findings: [{ text: 'It rose [S4].' }] }, ['findings[0].text: S4']],
  ])('in %j', (work, keys) => {
    expect(lost(work)).toEqual(keys);
  });
});

describe('a marker that leads somewhere, and what is none, is left alone', () => {
  it.each<[JsonValue]>([
    ['It rose [S1] and fell [S2, p. 4], then [S1–S3].'],
    ['It rose [1] and fell [2][3].'],
    ['It rose [1].\n\nReferences\n[1] Harrowgate pilot\n[7] Freight Studies\nIt fell [7].'],
    ['It rose [9].\n\nSources:\n9. Parcel Weekly, interview'],
    ['It rose.[^1]\n\n[^1]: Harrowgate pilot'],
    ['It rose (Ellingsen, 2020), according to O. Brandt and the Institute for Freight Studies.'],
    ['According to Parcel Weekly it rose; a report by Freight Studies agrees.'],
    ['A survey by the Nordic Courier Institute says so.'],
    ['Source: Harrowgate City Logistics Pilot'],
    ['According to IFS it rose, and according to HCLP too.'],
    ['It rose, according to the Bureau of Road Tolls.'],
    ['Source: own calculation. Sources: the three above.'],
    ['See https://www.freight.example/wp31/.'],
    ['See https://freight.example/other.'],
    ['(June 2024), (Spring 2023), (Q4 2024), (Version 2023) and (since 2019)'],
    ['The list is [1, 2, 9] and cells[9] is [9].'],
    ['Severity [P1], ticket [T-8801], time [09:02], [x] done, [sic] and [9](https://freight.example/wp31)'],
    ['According to the report, data from January 2024 were final.'],
    ['Call `rows[9]` or ```\n[S9]\n```.'],
  ])('%j', (work) => {
    expect(lost(work)).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ['Cause according to R. Lindqvist: the limit [2].', '', []],
    ['It rose [3].', '', ['3']],
    ['It rose, according to Kestrel Parcels.', 'Answer the claim of Kestrel Parcels.', []],
  ])('by the place of a source, its words, or the request: %j', (work, request, keys) => {
    expect(lost(work, plainly, request)).toEqual(keys);
  });
});

it('a sentence says what does not lead where', () => {
  const citations = readCitations(readWork('It rose [S4], according to the Courier Federation.'), sources);
  expect(leadNowhere(citations).map((marker) => nowhere(marker, sources.length))).toEqual([
    '“[S4]” does not lead to any of the 3 sources by name or number, nor to a list of references.',
    '“according to the Courier Federation” names “Courier Federation”, which stands in neither name nor text of any of the 3 sources.',
  ]);
});

it('entries of a list in the work are held against the sources', () => {
  const work =
    'It rose [1], and fell [2].\n\n## References\n[1] Harrowgate City Logistics Pilot (2024)\n[2] Hansen, Velo Couriers at Night';
  expect(readCitations(readWork(work), sources).references.map(({ key, source }) => [key, source])).toEqual([
    ['1', 0],
    ['2', undefined],
  ]);
});

describe('each figure is told to carry a marker or not', () => {
  it.each<[JsonValue, string[]]>([
    ['It rose by 4 percent [S1]. It fell by 3 percent.', ['marker', 'nothing']],
    ['It rose by 4 percent. [S1] It fell by 3 percent.', ['marker', 'nothing']],
    ['It rose by 4 percent. It fell by 3 percent [S1].\n\nIt stood at 7 percent.', ['paragraph', 'marker', 'nothing']],
    ['The Harrowgate pilot had 17.2 parcels an hour. It was good.', ['name']],
    [
      [{ value: '17.2 percent', source: 'S1' }, { value: '4 percent' }],
      ['field', 'nothing'],
    ],
  ])('%j', (work, told) => {
    const read = readWork(work);
    const by = sourcedStatements(read, readCitations(read, sources), sources);
    expect(
      by.filter(({ statement }) => !/^source: /.test(read.statements[statement]?.text ?? '')).map(({ by }) => by),
    ).toEqual(told);
  });
});

const applications = [
  { text: 'Karim Haddad. “Being on call is fine with me,\nI do it now.” Languages: English — Arabic.' },
  { text: 'We will not move the date before the audit is done, whatever happens.' },
];
const quoted = (text: string, given: string[] = []) =>
  readQuotations(readWork(text), applications, given).map(
    ({ claimed, found, given: asked }) =>
      `${claimed ? 'claimed' : 'not claimed'}, ${found === undefined ? (asked ? 'given' : 'not found') : `in ${found.source}`}`,
  );

describe('words in quotation marks', () => {
  it.each([
    ['He wrote: "Being on call is fine with me, I do it now."', 'claimed, in 0'],
    ['He wrote: “[b]eing on call is fine … I do it now”', 'claimed, in 0'],
    ['"We will not move the date before the audit is done," she said.', 'claimed, in 1'],
    ['“We will never move the date before the audit”, said Ines.', 'claimed, not found'],
    ['He wrote: "Being on call is no problem for me."', 'claimed, not found'],
    ['According to him, "being on call is great fun".', 'claimed, not found'],
    ['"Being on call is great fun" [2].', 'claimed, not found'],
    ['The page "Workshops in spring and summer" was edited.', 'not claimed, not found'],
    ['The section says "Terms And Conditions Of Sale Apply".', 'not claimed, not found'],
    ['This so-called "very best of all plans" failed.', 'not claimed, not found'],
    ['You asked: "how does it look for May"', 'claimed, given'],
  ])('%j is %s', (text, told) => {
    expect(quoted(text, ['How does it look for May?'])).toEqual([told]);
  });

  it.each([
    'He said "no way".',
    'A 5" pipe and a 6" pipe are both as long as this 7" one.',
    "It's the teacher's and the pupils' own",
  ])('are no quotation in %j', (text) => {
    expect(quoted(text)).toEqual([]);
  });

  it('are placed in the source by the offsets of its text', () => {
    const [quotation] = readQuotations(readWork('He wrote: "fine with me, I do it now"'), applications);
    const place = quotation?.found;
    expect(applications[0]?.text.slice(place?.start, place?.end)).toBe('fine with me,\nI do it now');
  });
});

it('long works are read in time that grows with their length', () => {
  for (const part of [
    '[1] ',
    '[S1',
    '(A 2000',
    'A of ',
    'Source: A, ',
    '"a b c d" ',
    '“a b c d',
    'https://a',
    'Aa and ',
    'said "',
    'according to A ',
  ]) {
    const work = readWork(part.repeat(60_000 / part.length));
    expect(leadNowhere(readCitations(work, sources))).toBeInstanceOf(Array);
    expect(readQuotations(work, sources)).toBeInstanceOf(Array);
  }
});

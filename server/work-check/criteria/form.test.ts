import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { readWork } from '../statements.ts';
import { answerForm, lengthAsked, readFormCriterion } from './form.ts';

const answer = (label: string, work: JsonValue, request = '') =>
  answerForm(readFormCriterion(label) ?? [], readWork(work), request, label);
const words = (count: number): string => `${Array.from({ length: count }, (_, at) => `word${at}`).join(' ')}.`;

describe('a criterion is no matter of form', () => {
  it.each([
    'Says exactly how much money comes back',
    'One and only one team per ticket',
    'One entry for each test reported on the current sample, none missed, none made up',
    'Three risks, each with somebody responsible',
    'The table has one row for every stage that counts, with the right customers',
    'The three rankings follow from the table',
    'All figures in the table match the invoice',
    'Each cost line shows how its amount comes about',
    'Percentages are worked out correctly',
    'Within 5 percentage points of the survey',
    'Prices are given in Danish crowns',
    'Each finding says where it comes from',
    'Ends with a recommendation',
    'Mentions both groups',
    'Friendly in tone',
    'Has sections for decisions, open points and actions',
    'Shows when the alarm was over',
    'Drawbacks are covered as well as benefits, at least two of them',
    'The fields agree with the invoice',
    'The summary is in line with English law',
  ])('%j', (label) => {
    expect(readFormCriterion(label)).toBeUndefined();
  });
});

describe('counts are told with the figure found and the figure asked for', () => {
  it.each<[string, JsonValue, string, string]>([
    ['Fits the limit of 100 words', words(131), 'missing', 'The work has 131 words; at most 100 are asked for.'],
    ['Fits on one page', words(20), 'met', 'The work has 20 words, which fit on one page in common type.'],
    [
      'Two short paragraphs, at most 90 words',
      `${words(30)}\n\n${words(31)}`,
      'met',
      'The work has 2 paragraphs; exactly 2 are asked for. The work has 61 words; at most 90 are asked for.',
    ],
    [
      'Under 90 words, task list as bullets',
      '- Ada books the hall.\n- Ben rings the baker.',
      'met',
      'The work has 8 words; fewer than 90 are asked for. The work has bullets, such as “Ada books the hall.”.',
    ],
    ['Fits the limit of 100 words', words(95), 'met', 'The work has 95 words; at most 100 are asked for.'],
    ['Stays under 150 words', words(150), 'missing', 'The work has 150 words; fewer than 150 are asked for.'],
    ['No more than 170 words', words(170), 'met', 'The work has 170 words; at most 170 are asked for.'],
    [
      'At most 8 words below the table',
      '| Site | Donors |\n| --- | --- |\n| Quay | 40 |\n| Hill | 36 |\n\nQuay has more donors than Hill in June.',
      'not_assessable',
      'The work has 14 words, 8 without titles and tables; at most 8 are asked for.',
    ],
    ['50 words or fewer', words(51), 'missing', 'The work has 51 words; at most 50 are asked for.'],
    ['Between 40 and 60 words', words(39), 'missing', 'The work has 39 words; between 40 and 60 are asked for.'],
    ['The reply is 40 to 60 words long', words(60), 'met', 'The work has 60 words; between 40 and 60 are asked for.'],
    ['Respects the 20-word limit', words(21), 'missing', 'The work has 21 words; at most 20 are asked for.'],
    [
      'The answer must not exceed fifty words',
      words(51),
      'missing',
      'The work has 51 words; at most 50 are asked for.',
    ],
    ['At least a hundred words', words(99), 'missing', 'The work has 99 words; at least 100 are asked for.'],
    [
      'No item of the list has more than three words',
      '- a b\n- c d e',
      'met',
      'List items: 2 looked at, none with more than 3 words.',
    ],
    ['More than 10 words', words(10), 'missing', 'The work has 10 words; more than 10 are asked for.'],
    ['Word limit: 20', words(20), 'met', 'The work has 20 words; at most 20 are asked for.'],
    ['At most 6 words', 'Load rose to 18.4 percent.', 'met', 'The work has 5 words; at most 6 are asked for.'],
    ['Limit: 30 words', words(31), 'missing', 'The work has 31 words; at most 30 are asked for.'],
    ['Word count is within 10% of 200', words(190), 'met', 'The work has 190 words; about 200 are asked for.'],
    ['Three bullet points', '- a b\n- c d', 'missing', 'The work has 2 bullets; exactly 3 are asked for.'],
    [
      'The table has five rows',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      'missing',
      'The work has 1 row; exactly 5 are asked for.',
    ],
    ['About 100 words', words(104), 'met', 'The work has 104 words; about 100 are asked for.'],
    ['About 100 words', words(160), 'not_assessable', 'The work has 160 words; about 100 are asked for.'],
    ['Is a single sentence', 'It rose. It fell.', 'missing', 'The work has 2 sentences; exactly 1 is asked for.'],
    [
      'In two sentences',
      'Dr. Smith came at 5 p.m. on Monday. He left.',
      'met',
      'The work has 2 sentences; exactly 2 are asked for.',
    ],
    [
      'At most 20 characters',
      'It is 24 characters long',
      'missing',
      'The work has 24 characters; at most 20 are asked for.',
    ],
    [
      'Has two paragraphs',
      'One is here.\n\nTwo is here.\n\nThree is here.',
      'missing',
      'The work has 3 paragraphs; exactly 2 are asked for.',
    ],
    [
      'Has at least three bullet points',
      '- a b\n- c d',
      'missing',
      'The work has 2 bullets; at least 3 are asked for.',
    ],
    ['Exactly two items', [1, 2], 'met', 'The work has 2 items; exactly 2 are asked for.'],
    [
      'At most 4 words',
      { a: 'one two three', b: 'four five' },
      'missing',
      'The work has 5 words; at most 4 are asked for.',
    ],
    [
      'A table with at least two rows',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      'missing',
      'The work has 1 row; at least 2 are asked for.',
    ],
  ])('%j of %j', (label, work, status, reason) => {
    expect(answer(label, work)).toMatchObject({ status, reason });
  });

  it.each<[string, JsonValue, string, string]>([
    [
      'At most three bullet points',
      'Done:\n- a b\n- c d\n\nOpen:\n- e f\n- g h',
      'not_assessable',
      'The work has 4 bullets, 2 in the shortest of its lists; at most 3 are asked for.',
    ],
    // A title may or may not count.
    [
      'At most 10 words',
      `The title has five words\n\n${words(8)}`,
      'not_assessable',
      'The work has 13 words, 8 without titles and tables; at most 10 are asked for.',
    ],
    [
      'At least two points of criticism',
      'It is slow and it is dear.',
      'not_assessable',
      'It is not plain how to count items in this work; at least 2 are asked for.',
    ],
    [
      'The introduction has at most 10 words',
      words(20),
      'not_assessable',
      'The work has 20 words; at most 10 are asked for. Which part of it is meant by “introduction” could not be told.',
    ],
    ['The introduction has at most 10 words', words(9), 'met', 'The work has 9 words; at most 10 are asked for.'],
    [
      'The summary has at most 10 words',
      `# Plan\n${words(8)}\n\n# Cost\n${words(8)}\n\n# Time\n${words(8)}`,
      'not_assessable',
      'The work has 27 words; at most 10 are asked for. Which part of it is meant by “summary” could not be told.',
    ],
    [
      'In one sentence, says why it is late',
      'It is late. It rained.',
      'not_assessable',
      'The work has 2 sentences; exactly 1 is asked for. Which part of it is meant by “says” could not be told.',
    ],
    [
      'Fits on one page',
      words(400),
      'not_assessable',
      'Whether the work fits one page depends on how it is printed; it has 400 words.',
    ],
  ])('what is not plain is left open: %j', (label, work, status, reason) => {
    expect(answer(label, work)).toMatchObject({ status, reason });
  });

  it.each<[string, JsonValue, string, string]>([
    [
      'The summary has at most 3 words',
      { summary: 'one two three four', body: words(80) },
      'missing',
      '“summary” has 4 words; at most 3 are asked for.',
    ],
    [
      'The section Risks has at most 3 words',
      `# Plan\n${words(20)}\n\n# Risks\nOne two three.`,
      'met',
      'The section “risks” has 3 words; at most 3 are asked for.',
    ],
  ])('a part named is counted alone: %j', (label, work, status, reason) => {
    expect(answer(label, work)).toMatchObject({ status, reason });
  });

  it('the length may be asked for in the request', () => {
    expect(answer('Keeps to the word limit', words(12), 'Summarise it in at most 10 words.')).toMatchObject({
      status: 'missing',
      reason: 'The work has 12 words; at most 10 are asked for.',
    });
    expect(answer('Keeps to the word limit', words(12), 'Summarise it.').status).toBe('not_assessable');
    expect(lengthAsked('Draft a release. Stay under 150 words.')).toMatchObject({ unit: 'words', max: 149 });
    expect(lengthAsked('List the risks, each in at most 20 words.')).toBeUndefined();
    expect(lengthAsked('Write a report and a summary of at most 50 words.')).toBeUndefined();
  });
});

const triage = (summary: string): JsonValue => ({
  triage: [
    { ticket: 'T-1', summary: 'The customer cannot log in.' },
    { ticket: 'T-2', summary },
  ],
});

describe('each element is counted by itself', () => {
  it.each<[string, JsonValue, string, string]>([
    [
      'Each summary is a single sentence',
      triage('It is late. It is lost.'),
      'missing',
      '“It is late. It is lost.” (triage[1].summary) has 2 sentences; exactly 1 is asked for.',
    ],
    [
      'Each issue is put in a single sentence',
      triage('It is late and it is lost.'),
      'met',
      'Values of “summary”: 2 looked at, none with more or fewer than 1 sentence.',
    ],
    [
      'No more than one sentence per summary',
      triage('It is late. It is lost.'),
      'missing',
      '“It is late. It is lost.” (triage[1].summary) has 2 sentences; at most 1 is asked for.',
    ],
    [
      'One sentence per ticket',
      triage('It is late. It is lost.'),
      'missing',
      '“It is late. It is lost.” (triage[1].summary) has 2 sentences; exactly 1 is asked for.',
    ],
    [
      'Sentences are short, at most 4 words each',
      'It is so. It is not at all so.',
      'missing',
      '“It is not at all so.” has 6 words; at most 4 are asked for.',
    ],
    [
      'Each ticket has at most 9 words',
      '- one two\n- one two three four',
      'not_assessable',
      'List items: 2 looked at, none with more than 9 words. Whether “each ticket” means them could not be told.',
    ],
    [
      'Every bullet has at most 3 words',
      '- one two\n- one two three four',
      'missing',
      '“one two three four” has 4 words; at most 3 are asked for.',
    ],
    [
      'No bullet is longer than 3 words',
      '- one two\n- one two three',
      'met',
      'List items: 2 looked at, none with more than 3 words.',
    ],
    [
      'At most 3 words per bullet',
      '- one two\n- one two three four',
      'missing',
      '“one two three four” has 4 words; at most 3 are asked for.',
    ],
    [
      'Each risk is described in at most 3 words',
      '- one two\n- one two three four',
      'not_assessable',
      '“one two three four” has 4 words; at most 3 are asked for. Whether “each risk” means it could not be told.',
    ],
    [
      'Each verse has at most 3 words',
      'There is none.',
      'not_assessable',
      'What “each verse” is in the work could not be told; at most 3 are asked for.',
    ],
    [
      'Each paragraph has at most two sentences',
      'A is b. C is d. E is f.\n\nOne is two.',
      'missing',
      '“A is b. C is d. E is f.” has 3 sentences; at most 2 are asked for.',
    ],
    [
      'Every sentence has at most 4 words',
      'It is so. It is not at all so.',
      'missing',
      '“It is not at all so.” has 6 words; at most 4 are asked for.',
    ],
  ])('%j', (label, work, status, reason) => {
    expect(answer(label, work)).toMatchObject({ status, reason });
  });
});

const products = (warranty: JsonValue): JsonValue => ({
  products: [
    { product: 'A 12', warranty_months: 24, weight_kg: 10.4 },
    { product: 'B 16', warranty_months: warranty, weight_kg: 12.1 },
  ],
});
const german =
  'Der Zug fährt um acht Uhr ab und kommt gegen Mittag an. Bitte bringen Sie Ihre Fahrkarte mit, denn im Zug werden keine verkauft. Das Gepäck darf nicht schwerer als zwanzig Kilo sein.';
const english =
  'The train leaves at eight and arrives around noon. Please bring your ticket with you, since none are sold on the train. Your luggage must not weigh more than twenty kilos in all.';

describe('shapes are looked up', () => {
  it.each<[string, JsonValue, string, string]>([
    [
      'Is valid JSON with the keys id, name and total',
      { id: 1, name: 'a' },
      'missing',
      'The work is valid JSON. The work has no key “total”.',
    ],
    [
      'The status field is either open or closed',
      { status: 'lost' },
      'missing',
      '“lost” (status) is not among “open”, “closed”.',
    ],
    [
      'Figures are plain numbers',
      products('3 years'),
      'missing',
      'products[1].warranty_months holds the text “3 years”, where other records hold a number in “warranty_months”.',
    ],
    [
      'All amounts are numbers, not strings',
      { price_eur: '189 EUR' },
      'missing',
      'price_eur holds the text “189 EUR”, not a number.',
    ],
    [
      'Figures are plain numbers',
      products(36),
      'met',
      'The work holds 4 plain numbers, and text in no field that holds a number in another record.',
    ],
    [
      'Figures are plain numbers',
      { id: '25-118204', day: '2026-03-01', n: 4 },
      'met',
      'The work holds 1 plain number, and text in no field that holds a number in another record.',
    ],
    ['Is valid JSON', { a: 1 }, 'met', 'The work is valid JSON.'],
    ['Is valid JSON', '{"a": 1,}', 'missing', 'The work is text that no JSON parser reads.'],
    [
      'Keys in snake_case, dates as YYYY-MM-DD, null where nothing is given',
      { paid_on: '2026-05-04' },
      'not_assessable',
      'The work has 1 date such as “2026-05-04”, and none written otherwise.',
    ],
    ['Has the keys "id" and "total"', { id: 1 }, 'missing', 'The work has no key “total”.'],
    [
      'Every record has the keys `id` and `name`',
      [{ id: 1, name: 'a' }, { id: 2 }],
      'missing',
      'Record 2 of the work has no key “name”.',
    ],
    [
      'priority is one of P1, P2 or P3',
      [{ priority: 'P1' }, { priority: 'P5' }],
      'missing',
      '“P5” ([1].priority) is not among “P1”, “P2”, “P3”.',
    ],
    [
      'The flag must be one of low, normal or high',
      [{ flag: 'low' }],
      'met',
      'All 1 values of “flag” are among “low”, “normal”, “high”.',
    ],
    ['Uses headings', 'It is all one text. There is no more.', 'missing', 'The work has no headings.'],
    ['Uses headings', '# Plan\nIt goes on.', 'met', 'The work has headings, such as “Plan”.'],
    [
      'Uses headings',
      'Money. Of the award all was spent.\n\nLimits. There are none.',
      'not_assessable',
      'No line of the work is a heading; paragraphs of it open with words that may stand for one.',
    ],
    ['Written as bullet points', 'It is all one text.', 'missing', 'The work has no bullets.'],
    ['No bullet points', '- a b\n- c d', 'missing', 'The work has bullets: “a b”, “c d”.'],
    [
      'Has the sections Summary and Risks',
      '# Summary\nAll good.\n\n# Next\nGo on.',
      'missing',
      'No heading of the work reads “Risks”.',
    ],
    [
      'Has a table with columns Item and Price',
      '| Item | Price |\n|---|---|\n| a | 2 |',
      'met',
      'A table of the work has the columns “Item”, “Price”.',
    ],
    ['Has a table with columns Item and Price', 'No table here.', 'missing', 'The work has no table.'],
    [
      'Has a table with columns Item and Price',
      '| Item | Cost |\n|---|---|\n| a | 2 |',
      'not_assessable',
      'The table of the work has the columns “Item”, “Cost”, and none called “Price”.',
    ],
    ['Written in German', german, 'met', 'By its letters the work is in German.'],
    ['Written in German', english, 'missing', 'By its letters the work is in English; German is asked for.'],
    ['The answer is in English', english, 'met', 'By its letters the work is in English.'],
    ['In French', 'Bonjour', 'not_assessable', 'The work is too short to tell its language.'],
    ['Starts with "Dear customer"', 'Dear Customer,\nthank you.', 'met', 'The work starts with “Dear customer”.'],
    [
      'Ends with "Kind regards"',
      'Thank you. Bye',
      'missing',
      'The work ends with “Thank you. Bye”, not with “Kind regards”.',
    ],
    [
      'Contains the phrase "not medical advice"',
      'This is Not  medical advice.',
      'met',
      'The work contains “not medical advice”.',
    ],
    [
      'Contains the phrase "not medical advice"',
      'This is advice.',
      'missing',
      'The work does not contain “not medical advice”.',
    ],
    ['Does not use the word "cheap"', 'It is cheap.', 'missing', 'The work contains “cheap”.'],
    ['Does not use the word "cheap"', 'It is cheaper.', 'met', 'The work does not contain “cheap”.'],
    [
      'The title is in capitals',
      'Plan for May\n\nAll is well here.',
      'missing',
      '“Plan for May” is not all in capitals.',
    ],
    [
      'Dates are in ISO 8601 format',
      'Due 3 May 2026, paid 2026-05-04.',
      'missing',
      'The work has “3 May 2026”, which is no ISO 8601 date.',
    ],
    [
      'Dates are written YYYY-MM-DD',
      'Paid 2026-05-04.',
      'met',
      'The work has 1 date such as “2026-05-04”, and none written otherwise.',
    ],
    [
      'Dates are in ISO 8601 format in the date fields',
      { paid: '2026-05-04', note: 'Moved from 3 May 2026 by mail.' },
      'met',
      'The work has 1 date such as “2026-05-04”, and none written otherwise.',
    ],
    [
      'Dates are in ISO 8601 format in the date fields',
      { paid: '4 May 2026', note: 'Moved by mail.' },
      'missing',
      'The work has “4 May 2026”, which is no ISO 8601 date.',
    ],
    ['No Markdown', 'It is **bold**.', 'missing', 'The work holds Markdown: “**bold**”.'],
    [
      'Plain text only',
      '- a\n- b, 2 * 3 * 4',
      'met',
      'The work holds no headings, bold type, links, tables or code of Markdown.',
    ],
    [
      'Flesch-Kincaid grade at most 12',
      english,
      'met',
      'By formula the work has a Flesch–Kincaid grade level of 2.6 (33 words in 3 sentences); at most 12 is asked for.',
    ],
    ['No emoji', 'Well done 🎉', 'missing', 'The work has emoji: “🎉”.'],
  ])('%j of %j', (label, work, status, reason) => {
    expect(answer(label, work)).toMatchObject({ status, reason });
  });
});

describe('a criterion that asks for more than form', () => {
  it('is not met by its form alone, and says what is left', () => {
    expect(answer('Is friendly and under 100 words', words(20))).toMatchObject({
      status: 'not_assessable',
      rest: 'Is friendly',
    });
    expect(answer('Under 10 words, and friendly', words(20))).toMatchObject({ status: 'missing' });
    expect(answer('At most 100 words, with all prices in euros', words(20)).rest).toBe('with all prices in euros');
  });

  it.each([
    'Opening line: at most 10 words',
    'The part for the driver has at most 10 words',
    'Is friendly and under 10 words',
    'Headline: ten words or fewer',
    'The SMS has at most 10 words',
  ])('accuses nothing where it may mean a part: %j', (label) => {
    const found = answer(label, words(20));
    expect(found.status).toBe('not_assessable');
    expect(found.reason).toContain('The work has 20 words');
  });

  it('takes what the request asks for by its name for the whole work, unless it asks for more', () => {
    const asked = (request: string) =>
      answerForm(readFormCriterion('The letter has at most 10 words') ?? [], readWork(words(20)), request).status;
    expect(asked('Write a letter to the tenant.')).toBe('missing');
    expect(asked('Write a letter and an SMS to the tenant.')).toBe('not_assessable');
  });

  it('reads a bound with its denial', () => {
    expect(answer('Not above 25 words', words(20)).status).toBe('met');
    expect(answer('Not over 10 words', words(20)).status).toBe('missing');
  });

  it('holds several rules, and each is answered', () => {
    const label = 'Two paragraphs, at most 10 words, and no bullet points';
    const found = answer(label, `${words(6)}\n\n${words(6)}`);
    expect(found.status).toBe('missing');
    expect(found.reason).toContain('The work has 12 words; at most 10 are asked for.');
    expect(found.reason).toContain('The work has no bullets.');
    expect(found.failed).toEqual([{ at: 'the whole work', words: '12 words' }]);
  });

  it.each([
    'Fits the limit of 100 words',
    'The note to the customer is at most 100 words',
    'The reply stays under 100 words',
    'Each issue is put in a single sentence',
    'Written in English',
  ])('is none: %j', (label) => {
    expect(answer(label, english).rest).toBeUndefined();
  });
});

it('long criteria and works are read in time that grows with their length', () => {
  for (const part of [
    'a and ',
    'keys a, ',
    'no a ',
    'each b ',
    '"',
    'at most ',
    'between 1 and ',
    'table with columns a and ',
  ])
    readFormCriterion(part.repeat(Math.floor(1_000 / part.length)));
  for (const part of ['a ', '- a\n', '# a\n', '[a](b ', '**a', '1. a\n', 'A. ', '!', '|a', '```\n', '3.3.'])
    for (const label of [
      'At most 5 sentences',
      'No Markdown',
      'Uses headings',
      'ISO dates',
      'No links',
      'Has three paragraphs',
    ])
      expect(answer(label, part.repeat(60_000 / part.length)).reason).not.toBe('');
});

describe('sentences beside a table', () => {
  const work = [
    'Group B, final table',
    '',
    '| Place | Team | Points |',
    '|---|---|---|',
    '| 1 | Aldern | 4 |',
    '| 2 | Brook | 4 |',
    '',
    'Aldern and Brook are through. Both have 4 points. Aldern won their match.',
  ].join('\n');

  it.each([
    ['No more than three sentences below the table', 'met'],
    ['Two or three sentences go with the table', 'met'],
    ['At most two sentences under the table', 'missing'],
    ['Exactly four sentences', 'missing'],
    // Which part of the work stands above is not told.
    ['One sentence of summary above the table', 'not_assessable'],
  ])('are counted without its cells and the title: %s', (criterion, status) => {
    expect(answer(criterion, work).status).toBe(status);
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { findPlaceholders, triviality } from './placeholders.ts';

const found = (text: string, request?: string, evidence?: readonly string[]) =>
  findPlaceholders(text, request, evidence).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);

describe('text left over from a template', () => {
  it.each([
    ['Dear [Name],', ['filler: [Name]']],
    ['Dear [Your Company Name], thank you', ['filler: [Your Company Name]']],
    ['[Insert date here] at the office', ['filler: [Insert date here]']],
    ['Your total is {{amount}} for {{ month }}.', ['filler: {{amount}}', 'filler: {{ month }}']],
    ['Hello \u0024{user.name}!', ['filler: \u0024{user.name}']],
    ['Valid until XX.XX.XXXX', ['filler: XX.XX.XXXX']],
    ['It rose by XX% to $XXX.', ['filler: XX', 'filler: $XXX']],
    ['Insert date here: the meeting', ['filler: Insert date here']],
    ['Lorem ipsum dolor sit amet', ['filler: Lorem ipsum']],
    ['Owner: TBD', ['open: TBD']],
    ['TODO: add the figures', ['open: TODO']],
    ['Regards,\n<Your Name>', ['filler: <Your Name>']],
    ['Date: DD.MM.YYYY', ['filler: DD.MM.YYYY']],
    ['%FIRST_NAME%, welcome', ['filler: %FIRST_NAME%']],
  ])('is found in %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    'The findings [1], [S1] and [Smith 2019] agree [sic].',
    'See [the report](https://a.example) and [name][1].\n[name]: https://b.example',
    '- [x] shipped\n- [ ] open',
    'The file `{{amount}}` and ```\n[Name]\n``` are code.',
    'He wrote "[the mayor] agreed to it".',
    'Super Bowl XXX and the size XXL, XX chromosomes',
    'The to-do list has 5 items, all of them today.',
    'Insert the card here and wait.',
    'Dates are given as YYYY-MM-DD.',
    'Use <b>name</b> in <name>Anna</name>.',
    'x.y.z and 3x3x3',
    'What? Why??',
  ])('is not found in %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('is none of the work where request or evidence have the same words, or a template is wanted', () => {
    expect(found('Dear [Name],', 'Keep [Name] as it is.')).toEqual([]);
    expect(found('Owner: TBD', 'Extract the owners.', ['Owner of item 4: TBD'])).toEqual([]);
    expect(found('Dear {{name}},', 'Write an e-mail template.')).toEqual([]);
  });
});

describe('a work that says nothing', () => {
  it.each<[JsonValue, string]>([
    ['', 'The work is empty.'],
    ['  \n', 'The work is empty.'],
    [':', 'The work holds no word and no figure.'],
    ['...', 'The work holds no word and no figure.'],
    ['Done.', 'The work is only “Done.”.'],
    ['n/a', 'The work is only “n/a”.'],
    ['Thought process:', 'The work is only “Thought process:”.'],
    ['**Answer:**', 'The work is only “**Answer:**”.'],
    [{}, 'The work holds no value.'],
    [{ a: '', b: null, c: ['N/A'] }, 'No field of the work holds a value that says anything.'],
  ])('is told as one: %j', (work, sentence) => {
    expect(triviality(work)).toBe(sentence);
  });

  it.each<[JsonValue]>([
    ['Yes.'],
    ['No'],
    ['None'],
    ['42'],
    ['invite'],
    [[]],
    [{ items: [], total: 0 }],
    ['東京'],
    [0],
    [false],
  ])('is not every short one: %j', (work) => {
    expect(triviality(work)).toBeUndefined();
  });
});

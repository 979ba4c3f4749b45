import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { Records } from './records.ts';

const evidence = evidenceOf({
  source: 'Order sheet',
  text: 'Acorn table: price 120 EUR, weight 14 kg, made in Porto.\nBirch chair: price 45 EUR, weight 3.5 kg, made in Gdansk.',
});
const work = (fields: { [key: string]: JsonValue }): JsonValue[] => [
  { name: 'Acorn table', ...fields },
  { name: 'Birch chair', price: 45 },
];

function reading(fields: { [key: string]: JsonValue }): string {
  const product = work(fields);
  const [key = ''] = Object.keys(fields);
  const read = new Records(product, evidence).read(statementOf(product, `/0/${key}`));
  if (read.is === 'nowhere') return 'nowhere';
  const text = evidence.sources[read.region.source]?.text.slice(read.span.start, read.span.end) ?? '';
  return `${read.is}: ${read.is === 'other' ? read.known : text}`;
}

describe('a field of a record', () => {
  it.each<[{ [key: string]: JsonValue }, string]>([
    [{ price: 120 }, 'found: 120'],
    [{ weight_kg: 14 }, 'found: 14'],
    [{ weight_g: 14000 }, 'found: 14'],
    [{ made_in: 'Porto' }, 'found: Porto'],
  ])('%j is found where the evidence speaks of its record', (fields, expected) => {
    expect(reading(fields)).toContain(expected);
  });

  it.each<[{ [key: string]: JsonValue }, string]>([
    [{ price: 45 }, 'other: 120'],
    [{ weight_kg: 41 }, 'other: 14'],
  ])('%j is held against the figure under its own name, not that of the record beside it', (fields, expected) => {
    expect(reading(fields)).toContain(expected);
  });

  it.each<[{ [key: string]: JsonValue }]>([[{ made_in: 'Gdansk' }], [{ height_cm: 80 }], [{ colour: 'green' }]])(
    '%j is nowhere and contradicts nothing',
    (fields) => {
      expect(reading(fields)).toBe('nowhere');
    },
  );

  it('without a name of its record is looked up everywhere and contradicts nothing', () => {
    const product = { price: 45, weight: 99 };
    const records = new Records(product, evidence);
    expect(records.read(statementOf(product, '/price'))).toMatchObject({ is: 'found' });
    expect(records.read(statementOf(product, '/weight'))).toEqual({ is: 'nowhere' });
  });

  it.each<[string, string, string]>([
    ['monthly', 'Rent is paid per month.', 'found'],
    ['monthly', 'Notice of six months.', 'nowhere'],
    ['once daily', 'Metformin 500 mg once daily.', 'found'],
    ['once daily', 'Metformin 500 mg twice daily.', 'nowhere'],
  ])('that says “%s” beside “%s” is %s', (frequency, text, expected) => {
    const product = { frequency };
    expect(new Records(product, evidenceOf(text)).read(statementOf(product, '/frequency')).is).toBe(expected);
  });

  const events = evidenceOf(
    'The Spring market fills ward B2 on 11 April 2026, nine weeks, five years of practice. On 9 May 2026 the Night run starts on ward C4.',
  );
  const program = (first: { [key: string]: JsonValue }, second: { [key: string]: JsonValue } = {}): JsonValue[] => [
    { name: 'Spring market', ...first },
    { name: 'Night run', ...second },
  ];

  it.each<[string, JsonValue[], string, string]>([
    ['is not what opens the sentence of the next', program({ date: '2026-05-09' }), '/0/date', 'nowhere'],
    ['is what opens its own sentence', program({}, { date: '2026-05-09' }), '/1/date', 'found'],
    ['is a whole name', program({ ward: 'A1' }), '/0/ward', 'other: B2'],
    ['is not what stands behind the count of it', program({ weeks: 4 }), '/0/weeks', 'nowhere'],
  ])('that a record holds %s', (_, product, path, expected) => {
    const read = new Records(product, events).read(statementOf(product, path));
    expect(read.is === 'other' ? `other: ${read.known}` : read.is).toBe(expected);
  });
});

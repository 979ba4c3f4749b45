import { describe, expect, it } from 'vitest';
import { readQuantities } from '../../reading/quantities.ts';
import { tokenize } from '../../reading/tokens.ts';
import { asDigits, dayIn, isForeign, isNamed, isWritten, otherwiseIn, spanIn, type Written } from './written.ts';

function read(text: string): Written {
  const tokens = tokenize(text);
  return { text, tokens, stems: new Set(tokens.map(({ stem }) => stem)), quantities: readQuantities(tokens) };
}

const stands = (claimed: string, text: string): boolean => {
  const [figure] = readQuantities(tokenize(claimed));
  return figure !== undefined && isWritten(figure, read(text));
};

describe('a figure stands in a text', () => {
  it.each([
    ['20 June', 'fermée du 2 au 20 juin inclus'],
    ['2 June', 'fermée du 2 au 20 juin inclus'],
    ['9 September 1931', 'Gift of Capt. J. Orrock, 9.ix.31'],
    ['22 April', 'Notre lettre du 22 avril'],
    ['€1,500', 'La caution de 1 500 € est inchangée'],
    ['13,944', 'Bürgschaft 13.944,00 EUR'],
    ['£3,000.00', 'SHARE SUBS BATCH 4,,3000.00'],
    ['£3,000.00', '4 (12 MEMBERS),,3000.00,21632.17'],
    ['£1,372.00', 'HIGHFIELD INS PREMIUM 25/26,1372.00'],
    ['4', 'vier Stellplätze'],
    ['21:20', '21:20,7.6,11.9'],
    ['06:40', 'samedi à 6 h 40'],
    ['10', asDigits('Motor l0 years')],
    ['30 October 2024', asDigits('fitted on 30 0ctober 2024')],
    ['435', 'TOTAL,,14.0,435,,,'],
    ['12 March 2025', 'MBLU3105190;GATE-OUT;12-03-2025 10:20'],
    ['09:40', asDigits('Taken: Tue 18/06/2024   09.4O h')],
    ['180', asDigits('No more than 18O aircraft')],
  ])('%s in “%s”', (claimed, text) => expect(stands(claimed, text)).toBe(true));

  it.each([
    ['20 June', 'fermée du 2 au 20 juillet inclus'],
    ['09:40', 'at 9.41 h'],
    ['20 January', 'of those 20 I think'],
    ['2', 'payment due at once'],
    ['11', 'payment due at once'],
    ['20 June', '20 boxes were sent in the spring'],
    ['9 September 1931', 'given 9.ix.32'],
    ['€1,500', 'La caution de 11 500 € est inchangée'],
    ['€1,500', 'USD 1,500 was paid'],
    ['£845.00', 'order 1,845.00 in all'],
    ['£845.00', 'order 845,100 in all'],
    ['5', 'vier Stellplätze'],
    ['12 March 2024', 'MBLU3105190;GATE-OUT;12-03-2025 10:20'],
  ])('%s not in “%s”', (claimed, text) => expect(stands(claimed, text)).toBe(false));
});

describe('a name stands in a text', () => {
  const name = (word: string) => tokenize(word)[0] as ReturnType<typeof tokenize>[number];
  it.each([
    ['Captain', 'Gift of Capt. J. Orrock', true],
    ['Robert', 'By Robt. Dunmore', true],
    ['Robert', 'By Robin Dunmore', false],
    ['Robert', 'By R. Dunmore', false],
  ])('%s, “%s”: %s', (word, text, stands) => expect(isNamed(name(word), read(text))).toBe(stands));
});

it('reads days, spans and numbers of other languages', () => {
  expect(dayIn('03-06-2024')).toEqual({ day: 3, month: 6, year: 2024 });
  expect(dayIn('29/8')).toEqual({ day: 29, month: 8 });
  expect(dayIn('8/29')).toEqual({ day: 29, month: 8 });
  expect(dayIn('08.09.')).toEqual({ day: 8, month: 9 });
  expect(dayIn('41/6')).toBeUndefined();
  expect(dayIn('dated 22.04.25')).toEqual({ day: 22, month: 4, year: 2025 });
  expect(dayIn('12 janvier 2025')).toEqual({ day: 12, month: 1, year: 2025 });
  expect(dayIn('41-06-2024')).toBeUndefined();
  expect(spanIn('spätestens neun Monate vor Ablauf')).toEqual({ value: 9, unit: 'month' });
  expect(spanIn('binnen eines Monats')).toEqual({ value: 1, unit: 'month' });
  expect(spanIn('10 Jahre')).toEqual({ value: 10, unit: 'year' });
  expect(spanIn('ten boxes a day')).toBeUndefined();
  expect(spanIn('45 an hour')).toBeUndefined();
  expect(otherwiseIn('1 350 000 EUR', false)).toBe(1_350_000);
  expect(otherwiseIn('13.944,00', false)).toBe(13_944);
  expect(otherwiseIn('5,50 €/m²', true)).toBe(5.5);
  expect(otherwiseIn('1.350', false)).toBeUndefined();
  expect(otherwiseIn('1.350', true)).toBe(1_350);
});

it('tells another language by its smallest words', () => {
  expect(isForeign({ text: 'La caution de 1 500 €, à déposer à l’arrivée, est inchangée.' })).toBe(true);
  expect(isForeign({ text: 'Twee dozen nat aan de onderkant, geen schade aan de stoelen.' })).toBe(true);
  expect(isForeign({ text: 'The deposit of €1,500 is unchanged and due on arrival.' })).toBe(false);
});

import { describe, expect, it } from 'vitest';
import type { AssessmentTask } from '../port.ts';
import { derive, derivedOf } from './derivations.ts';
import type { Material } from './material.ts';
import type { StatementAnswer } from './prompt.ts';

type Derivation = StatementAnswer['derivations'][number];

/** Passages p1, p2, … of one source, its title s1, and a request r1. */
function about(...passages: string[]): { task: AssessmentTask; material: Material } {
  const text = passages.join('\n');
  const places = passages.map((one, at) => {
    const start = passages.slice(0, at).join('\n').length + (at === 0 ? 0 : 1);
    return [`p${at + 1}`, { ref: 'evidence/0', start, end: start + one.length }] as const;
  });
  return {
    task: { evidence: { sources: [{ ref: 'evidence/0', text }] } } as unknown as AssessmentTask,
    material: {
      passages: new Map(places),
      titles: new Map([
        ['s1', 'Report of 21 June 2024'],
        ['r1', 'What if it comes on 12 May?'],
      ]),
    } as unknown as Material,
  };
}

const from = (passage: string, words: string) => ({ passage, words });
const one = (claimed: string, expression: string, ...operands: Derivation['operands']): Derivation => ({
  claimed,
  operands,
  expression,
});

/** Whether the last derivation of a statement comes to what it is for. */
function holds(text: string, derivations: Derivation[], evidence: string[]): boolean | undefined {
  const given = { id: 'q1', derivations };
  return derivedOf(given, derive([{ given, text }], about(...evidence))).at(-1)?.holds;
}

describe('a derivation', () => {
  it.each<[string, Derivation, string[]]>([
    [
      'it took 17 hours and 40 minutes',
      one('17 hours and 40 minutes', 'minutes(a, b)', from('p1', '01:00'), from('p1', '18:40')),
      ['01:00 to 18:40'],
    ],
    [
      '13 seconds earlier',
      one('13 seconds', 'minutes(a, b)', from('p1', '06:10:02'), from('p1', '06:09:49')),
      ['06:09:49, 06:10:02'],
    ],
    [
      'due on 26 June 2024',
      one('26 June 2024', 'workdays(a, b)', from('s1', '21 June 2024'), from('p1', 'third')),
      ['by the third working day'],
    ],
    ['that is 11 June', one('11 June', 'a + b', from('r1', '12 May'), from('p1', '30 days')), ['within 30 days']],
    [
      'ends 2034-10-31',
      one('2034-10-31', 'a + b', from('p1', '31.10.2024'), from('p1', '10 Jahre')),
      ['31.10.2024, dann 10 Jahre'],
    ],
    [
      '275 minutes',
      one('275', 'minutes(a, b)', from('p1', '09.4O'), from('p1', '14.15')),
      ['taken 09.4O h, received 14.15 h'],
    ],
    [
      'kwh: 1550',
      one('1550', '(a - b) * c', from('p1', '3198.0'), from('p1', '3120.5'), from('p1', '20')),
      ['3120.5 3198.0 20'],
    ],
    [
      'a drop of 94%',
      one('94%', 'round(share(a - b, a))', from('p1', 'P4 Spa Dusche 2.400'), from('p2', 'P4 140')),
      ['P4 Spa Dusche 2.400 vom 24.03.', 'P4 140'],
    ],
    [
      'due: 2025-05-22',
      one('2025-05-22', 'a + b', from('p1', '22.04.25'), from('p1', '30 days')),
      ['22.04.25, 30 days'],
    ],
    [
      'ripe on 10 Sep',
      one('10 Sep', 'a + b + 1', from('p1', '19/8'), from('p1', '21 days')),
      ['19/8 Long Acre, 21 days'],
    ],
    [
      'at most -19',
      one('-19', '(a - b) / 2 * 10 / (10 - 1)', from('p1', '-2.2 F'), from('p1', '32 F')),
      ['max -2.2 F, freezing at 32 F'],
    ],
    ['three of them', one('three', 'count(a)', from('p1-p4', 'done')), ['a done', 'b open', 'c done', 'd done']],
    [
      'It took an hour and a half.',
      one('an hour and a half', 'minutes(a, b)', from('p1', '10:00'), from('p1', '11:30')),
      ['10:00 to 11:30'],
    ],
    [
      'within a fortnight',
      one('a fortnight', 'days(a, b)', from('p1', '1 May'), from('p1', '15 May')),
      ['1 May to 15 May'],
    ],
    ['4:35 h', one('4:35', 'minutes(a, b)', from('p1', '08:00'), from('p1', '12:35')), ['08:00 to 12:35']],
    ['two thirds of them', one('two thirds', 'a / b', from('p1', '6'), from('p1', '9')), ['6 of 9']],
    ['one in four', one('one in four', 'share(a, b)', from('p1', '5'), from('p1', '20')), ['5 of 20']],
    ['more than 300 came', one('300', 'sum(a, b)', from('p1', '200'), from('p1', '123')), ['200 and 123']],
    [
      'nearly two hours',
      one('two hours', 'minutes(a, b)', from('p1', '10:00'), from('p1', '11:53')),
      ['10:00 to 11:53'],
    ],
    ['rund 12.000 Besucher', one('12.000', 'sum(a, b)', from('p1', '11800'), from('p1', '70')), ['11800 und 70']],
    [
      'Das sind 10.726,50 €.',
      one('10.726,50 €', 'sum(a, b)', from('p1', '10000 €'), from('p1', '726.5 €')),
      ['10000 € und 726.5 €'],
    ],
    ['binnen 2 Wochen', one('2 Wochen', 'days(a, b)', from('p1', '1 May'), from('p1', '15 May')), ['1 May to 15 May']],
    ['less than half', one('half', 'share(a, b)', from('p1', '8'), from('p1', '20')), ['8 of 20']],
    ['closes at noon', one('noon', 'a + b', from('p1', '11:30'), from('p1', '30')), ['opens 11:30 for 30 minutes']],
    ['The alert went out at 10:21.', one('10:21', 'a + 60', from('p1', '09:21:30')), ['2025-05-14T09:21:30Z ALERT']],
    [
      'eight days',
      one('eight days', 'days(a, b) + 1', from('p1', '04/03/2025'), from('p1', '11/03/2025')),
      ['04/03/2025 to 11/03/2025'],
    ],
    [
      'on 8 May',
      one('8 May', 'next(a, b)', from('p1', '6 May 2025'), from('p1', 'Thursdays')),
      ['from 6 May 2025, on Thursdays'],
    ],
    [
      '18 de junio',
      one('18 de junio', 'a - b', from('p1', '21 de junio de 2025'), from('p1', '72 hours')),
      ['21 de junio de 2025, 72 hours before'],
    ],
    ['€ 18.400', one('18.400', 'a', from('p1', 'achttien duizend vierhonderd')), ['achttien duizend vierhonderd euro']],
    ['ends at 19:30', one('19:30', 'a + b', from('p1', 'six pm'), from('p1', '90 minutes')), ['six pm, 90 minutes']],
    ['ends at 12:30', one('12:30', 'a + b', from('p1', 'noon'), from('p1', '30 minutes')), ['noon, 30 minutes']],
    [
      '7 hours',
      one('7 hours', 'a * b', from('p1', 'three and a half hours'), from('p1', '2')),
      ['2 x three and a half hours'],
    ],
    ['ends 11:00', one('11:00', 'a + b', from('p1', '09:30'), from('p1', '1 h 30')), ['09:30, for 1 h 30']],
    ['ends 10:00', one('10:00', 'a + b', from('p1', '09:30'), from('p1', 'half an hour')), ['09:30, half an hour']],
    [
      'ends 10:15',
      one('10:15', 'a + b', from('p1', '09:30'), from('p1', 'three quarters of an hour')),
      ['09:30, three quarters of an hour'],
    ],
    ['90 minutes', one('90 minutes', 'minutes(a, b)', from('p1', 'at 8'), from('p1', '9:30')), ['at 8 to 9:30']],
    ['à 20h30', one('20h30', 'a + b', from('p1', '19h00'), from('p1', '90 minutes')), ['19h00, 90 minutes']],
    ['um 20 Uhr 30', one('20 Uhr 30', 'a + b', from('p1', '19 Uhr'), from('p1', '90 Minuten')), ['19 Uhr, 90 Minuten']],
    [
      '24 May',
      one('24 May', 'a + b', from('p1', 'twenty-second of May'), from('p1', '2 days')),
      ['the twenty-second of May, 2 days'],
    ],
    ['period: 2025-09', one('2025-09', 'a', from('p1', '12 September 2025')), ['12 September 2025']],
    [
      'in September',
      one('September', 'a + b', from('p1', '12 August 2025'), from('p1', '3 weeks')),
      ['12 August 2025, 3 weeks'],
    ],
    [
      'due on 4 October',
      one('4 October', 'workdays(a, b)', from('p1', '27 September'), from('p1', 'five')),
      ['found 27 September, five days, at 1/1/2027'],
    ],
    [
      'within 61 minutes',
      one(
        '61 minutes',
        'days(a, b) * 24 * 60 - c',
        from('p1', '1 May'),
        from('p1', '2 May'),
        from('p1', '1379 minutes'),
      ),
      ['1 May to 2 May less 1379 minutes'],
    ],
    [
      'on 4 May',
      one('4 May', 'next(a, b)', from('p1', '1 May 2026'), from('p1', 'every Monday')),
      ['from 1 May 2026, every Monday'],
    ],
    ['15 €', one('15 €', 'a * b', from('p1', '10 €'), from('p1', 'one and a half')), ['one and a half times 10 €']],
    ['alle 06:30', one('06:30', 'a + b', from('p1', '06:00'), from('p1', "mezz'ora")), ["alle 06:00, per mezz'ora"]],
    [
      'bis 11:30',
      one('11:30', 'a + b', from('p1', '10:00'), from('p1', 'anderthalb Stunden')),
      ['10:00, anderthalb Stunden'],
    ],
    ['alle 8:30', one('8:30', 'a + b', from('p1', '06:00'), from('p1', 'due ore e mezza')), ['06:00, due ore e mezza']],
    ['0 were late', one('0', 'count(a)', from('p1-p2', 'late')), ['on time', 'on time']],
    [
      'on 16 April',
      one('16 April', 'a - b', from('p1', '23 April'), from('p1', 'one week')),
      ['23 April, one week before'],
    ],
    [
      'on 16 April',
      one('16 April', 'a - 7 * b', from('p1', '23 April'), from('p1', 'one')),
      ['23 April, one week before'],
    ],
    ['change: -5', one('-5', '-a', from('p1', '5')), ['down by 5']],
    ['11.25 hours', one('11.25 hours', 'a * b', from('p1', '9'), from('p1', '1.25')), ['9 hours at 1.25']],
  ])('holds: %s', (text, derivation, evidence) => {
    expect(holds(text, [derivation], evidence)).toBe(true);
  });

  it.each([
    ['more than 300 came', '300', '297'],
    ['more than 300 came', '300', '900'],
    ['nearly 300 came', '300', '305'],
    ['nearly 300 came', '300', '210'],
    ['about 12,000 came', '12,000', '13400'],
    ['300 came', '300', '297'],
    ['two hours', 'two hours', '113'],
  ])('does not hold: %s, of %s by %s', (text, claimed, figure) => {
    expect(holds(text, [one(claimed, 'a', from('p1', figure))], [`${figure} counted`])).toBe(false);
  });

  it.each([
    ['ends at 20:30', '20:30', 'a + b', ['six pm', '90 minutes']],
    ['period: 2025-10', '2025-10', 'a', ['12 September 2025']],
    ['in October', 'October', 'a + b', ['12 August 2025', '3 weeks']],
    ['in 2027', '2027', 'a + b', ['12 August 2025', '3 weeks']],
    ['ends 11:30', '11:30', 'a + b', ['09:30', '1 h 30']],
  ])('does not hold: %s', (text, claimed, expression, words) => {
    const operands = words.map((one) => from('p1', one));
    expect(holds(text, [{ claimed, expression, operands }], [words.join(', ')])).toBe(false);
  });

  it('vouches for no figure but its own', () => {
    const evidence = ['a done', 'b done', 'of 900 boxes'];
    expect(holds('2 of 400 boxes', [one('2 of 400 boxes', 'count(a)', from('p1-p2', ''))], evidence)).toBe(false);
    expect(holds('2 of 400 boxes', [one('2', 'count(a)', from('p1-p2', ''))], evidence)).toBe(true);
  });

  it('builds on one that is answered later, and on none that builds on itself', () => {
    const early = { id: 'q1', derivations: [one('12', 'a + b', from('q2.d1', ''), from('p1', '5'))] };
    const late = { id: 'q2', derivations: [one('7', 'a + b', from('p1', '5'), from('p1', '2'))] };
    const texts = [
      { given: early, text: '12 in all' },
      { given: late, text: '7 of them' },
    ];
    const found = derive(texts, about('5 and 2'));
    expect(derivedOf(early, found)[0]?.holds).toBe(true);
    const loop = { id: 'q1', derivations: [one('5', 'a', from('d1', ''))] };
    expect(derivedOf(loop, derive([{ given: loop, text: '5' }], about('5')))).toEqual([]);
  });

  it('says what it comes to in the words of the work', () => {
    const given = {
      id: 'q1',
      derivations: [one('six weeks', 'days(a, b) / 7', from('p1', '12 janvier 2025'), from('p1', '23 février 2025'))],
    };
    const [derived] = derivedOf(
      given,
      derive([{ given, text: 'extended by six weeks' }], about('du 12 janvier 2025 au 23 février 2025')),
    );
    expect(derived?.says).toBe('days(12 janvier 2025, 23 février 2025) / 7 = six weeks');
  });

  it('takes no figure that stands nowhere, or only within another', () => {
    expect(holds('60', [one('60', 'a', from('p1', '60'))], ['600 boxes'])).toBeUndefined();
    expect(holds('61', [one('61', 'a', from('p1', '61'))], ['600 boxes'])).toBeUndefined();
    expect(holds('2 done', [one('2', 'count(a)', from('p1-p9', 'done'))], ['a done'])).toBeUndefined();
  });
});

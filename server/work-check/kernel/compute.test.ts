import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';
import { evaluate } from './compute.ts';
import { isResult, printed } from './told.ts';

const figure = (text: string) => readQuantities(tokenize(text))[0];
const worked = (expression: string, ...operands: string[]) =>
  evaluate(
    expression,
    operands.map((text) => ({ text, figure: figure(text) })),
  );
const comesTo = (claimed: string, expression: string, ...operands: string[]): boolean => {
  const result = worked(expression, ...operands);
  return result !== undefined && isResult(result, figure(claimed), claimed);
};

describe('an expression', () => {
  it.each([
    ['17 EUR', 'a - b', ['37 EUR', '20 EUR']],
    ['1550', 'a * b', ['77.5', '20']],
    ['14 percent', '(b - a) / a', ['4,210', '4,799']],
    ['14%', 'share(b - a, a)', ['4,210', '4,799']],
    ['9 minutes', 'minutes(a, b)', ['10:26', '10:35']],
    ['six weeks', 'days(a, b)', ['7 July', '18 August']],
    ['14.5', 'mean(a, b)', ['12', '17']],
    ['3', 'count(a, b, c)', ['INV-1', 'INV-2', 'INV-3']],
    ['Tuesday', 'weekday(a)', ['9 June 2026']],
    ['0.1', 'a - b', ['0.3', '0.2']],
    ['14.5%', 'round(share(a, b), 1)', ['29', '200']],
    ['21 June', 'a + b', ['7 June', 'two weeks']],
    ['21 June 2026', 'a + 7 + 7', ['7 June 2026']],
    ['28 February 2027', 'a + b', ['30 November 2026', '3 months']],
    ['3 March 2026', 'a - b', ['17 March 2026', '14 calendar days']],
    ['11:15', 'a + b', ['10:30', '45 minutes']],
    ['quarter past ten', 'a - b', ['11:15', '1 hour']],
    ['two years', 'months(a, b)', ['1 March 2024', '1 March 2026']],
    ['11 months', 'months(a, b)', ['15 April 2025', '14 April 2026']],
    ['eight hours', '24 * 60 - minutes(a, b)', ['22:00', '06:00']],
    ['44 hours', 'minutes(a, b, c, d)', ['17 September 2024', '14:00', '19 September 2024', '10:00']],
    ['1 June 2024', 'last(a) + 1', ['17 May 2024']],
    ['1 May 2024', 'first(a)', ['17 May 2024']],
    ['31 December 2025', 'quarter(a)', ['11 October 2025']],
    ['26 June 2024', 'workdays(a, b)', ['21 June 2024', '3 working days']],
    ['7 November 2024', 'workdays(a, b, c)', ['30 October 2024', '5', '1 November 2024']],
    ['6 hours', 'floor(minutes(a, b) / 60)', ['08:00', '14:30']],
    ['7 boxes', 'ceil(a / b)', ['65', '10']],
    ['750 USD', 'days(a, b) * c', ['8 June 2024', '18 June 2024', '75']],
    ['22.68 EUR', 'a * b / 100', ['189.00 EUR', '12%']],
  ])('gives %s by %s', (claimed, expression, operands) => {
    expect(comesTo(claimed, expression, ...operands)).toBe(true);
  });

  it.each([
    ['another figure', '18 EUR', 'a - b', ['37 EUR', '20 EUR']],
    ['a difference that comes out even, rounded', '17', 'a - b', ['37', '21']],
    ['money of two currencies', '57', 'a + b', ['37 EUR', '20 USD']],
    ['a sum of clock times', '20', 'a + b', ['10:00', '10:00']],
    ['more operators than five', '7', 'a + a + a + a + a + a + a', ['1']],
    ['a constant of its own', '42', 'a + 41', ['1']],
    ['an operand that is not there', '2', 'a + b', ['1']],
    ['a date of another year', '21 June 2027', 'a + b', ['7 June 2026', '14 days']],
    ['a date and money', '21 June', 'a + b', ['7 June', '14 EUR']],
    ['a sum of two dates', '14', 'a + b', ['7 June', '7 June']],
    ['hours of a date that make no day', '7 June', 'a + b', ['7 June', '10 hours']],
    ['a weekday of a date without a year', 'Sunday', 'weekday(a)', ['7 June']],
    ['a division by nothing', '1', 'a / (a - a)', ['1']],
    ['money for money', '400 USD', 'a * b', ['20 USD', '20 USD']],
    ['code', '1', 'process.exit(1)', ['1']],
    ['a name of JavaScript', '1', 'constructor', ['1']],
  ])('gives nothing by %s', (_, claimed, expression, operands) => {
    expect(comesTo(claimed, expression, ...operands)).toBe(false);
  });

  it('bounds its length and its operands', () => {
    expect(worked('a'.repeat(500), '1')).toBeUndefined();
    expect(
      evaluate(
        'sum(a)',
        Array.from({ length: 61 }, () => ({ text: '1', figure: figure('12') })),
      ),
    ).toBeUndefined();
  });

  it('prints what it comes to', () => {
    const results = [
      worked('minutes(a, b)', '10:26', '10:35'),
      worked('a * b', '12.50 EUR', '3'),
      worked('share(a, b)', '1', '3'),
    ];
    expect(results.map((result) => (result === undefined ? '' : printed(result)))).toEqual([
      '9 minutes',
      '37.5 EUR',
      '33.3333%',
    ]);
  });
});

describe('whatever a model writes', () => {
  const operands = ['12 May 2026', '9:30', '12%', '7 EUR', 'three weeks', 'Monday', '900,000 years', '31 January', 'x'];
  const expressions = fc.letrec((tie) => ({
    one: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('a', 'b', 'c', '0', '1', '10', '10000', '-a', '-3'),
      fc.tuple(tie('one'), fc.constantFrom('+', '-', '*', '/'), tie('one')).map((parts) => `(${parts.join(' ')})`),
      fc
        .tuple(
          fc.constantFrom(
            'sum count min max mean share round days months minutes weekday first last quarter workdays next floor ceil',
          ),
          fc.nat(17),
          fc.array(tie('one'), { minLength: 1, maxLength: 4 }),
        )
        .map(([names, at, of]) => `${names.split(' ')[at]}(${of.join(', ')})`),
    ),
  })).one as fc.Arbitrary<string>;

  it('comes to something that can be printed, or to nothing', () => {
    const three = fc.tuple(fc.constantFrom(...operands), fc.constantFrom(...operands), fc.constantFrom(...operands));
    fc.assert(
      fc.property(expressions, three, (expression, texts) => {
        const result = worked(expression, ...texts);
        if (result !== undefined) expect(printed(result)).not.toMatch(/NaN|Invalid/);
      }),
      { numRuns: 5_000, seed: 20_261_127 },
    );
  });

  it.each([
    ['round(a, -3)', '12'],
    ['first(a + 10000 * 10000)', '12 May 2026'],
    ['months(a + 10000 * 10000, a)', '12 May 2026'],
    ['a + b', '12 May 2026', '900,000 years'],
  ])('is nothing where it leads out of the calendar: %s', (expression, ...texts) => {
    expect(worked(expression, ...texts)).toBeUndefined();
  });
});

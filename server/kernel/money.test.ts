import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromText, microcents, toText, toTokenUnits, toWire } from './money.ts';

describe('money', () => {
  it('converts the price to token units exactly, and refuses what would need rounding', () => {
    expect(toTokenUnits(microcents(500_000_000))).toBe('5000000');
    expect(() => toTokenUnits(microcents(500_000_050))).toThrow(RangeError);
    expect(() => microcents(0.5)).toThrow(RangeError);
  });

  it('is shown in full: no digit of an amount is lost', () => {
    expect([500_000_000n, 1n, 0n, 123_456_789_000n].map(toText)).toEqual([
      '5.00 USD',
      '0.00000001 USD',
      '0.00 USD',
      '1234.56789 USD',
    ]);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (amount) => {
        const [whole = '', fraction = ''] = toText(amount).replace(' USD', '').split('.');
        expect(BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0'))).toBe(amount);
      }),
    );
  });

  it('never leaves as a number that JSON readers would round', () => {
    expect(toWire(9_007_199_254_740_991n)).toBe(9_007_199_254_740_991);
    expect(() => toWire(9_007_199_254_740_992n)).toThrow(RangeError);
  });

  it.each([
    ['10', 1_000_000_000n],
    ['10.00', 1_000_000_000n],
    [' 1,000.5 ', 100_050_000_000n],
    ['0.00000001', 1n],
    ['0', 0n],
    ['', null],
    ['-1', null],
    ['1e9', null],
    ['10.', null],
    ['10,00', null],
    ['0.000000001', null],
  ])('reads "%s" as a person types it', (text, amount) => {
    expect(fromText(text)).toBe(amount);
  });
});

import { describe, expect, it } from 'vitest';
import { convert, unitOfColumn } from './units.ts';

describe('units', () => {
  it.each([
    [1.5, 'kilometer', 'meter', 1500],
    [250, 'gram', 'kilogram', 0.25],
    [2, 'week', 'day', 14],
    [90, 'minute', 'hour', 1.5],
    [3, 'year', 'month', 36],
    [0.75, 'liter', 'milliliter', 750],
  ])('%d %s in %s is %d', (value, from, to, expected) => {
    expect(convert(value, from, to)).toBeCloseTo(expected, 9);
  });

  it.each([
    ['month', 'day'],
    ['kilogram', 'liter'],
    ['kilowatt', 'kilowatthour'],
    ['knot', 'kilometer'],
    ['', 'meter'],
    ['toString', 'valueOf'],
  ])('%s does not convert into %s', (from, to) => {
    expect(convert(1, from, to)).toBeUndefined();
  });

  it.each([
    ['weight kg', 'kilogram'],
    ['capacity l per day', 'liter'],
    ['notice months', 'month'],
    ['share percent', '%'],
    ['kg', ''],
    ['order number', ''],
    ['net total', ''],
  ])('the column “%s” is in “%s”', (column, unit) => {
    expect(unitOfColumn(column)).toBe(unit);
  });
});

import { describe, expect, it } from 'vitest';
import { readForm } from './form.ts';

describe('a form', () => {
  it('nests by brackets and makes lists of numbers and of empty brackets', () => {
    const text = 'mode=payment&line_items[0][quantity]=1&line_items[0][price_data][currency]=usd&expand[]=a&expand[]=b';
    expect(readForm(text)).toEqual({
      mode: 'payment',
      line_items: [{ quantity: '1', price_data: { currency: 'usd' } }],
      expand: ['a', 'b'],
    });
  });

  it('reads what is encoded', () => {
    expect(readForm('metadata%5Bjob%20key%5D=a%26b+c')).toEqual({ metadata: { 'job key': 'a&b c' } });
  });

  it.each(['a=1&a[b]=2', 'a[b]=2&a=1'])('refuses %s, which is a value and a parent', (text) => {
    expect(() => readForm(text)).toThrow('a is given twice');
  });

  it('keeps names that objects have by nature', () => {
    const read = readForm('__proto__[admin]=true&constructor=x');
    expect(Object.keys(read)).toContain('constructor');
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});

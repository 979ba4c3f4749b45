import { describe, expect, it } from 'vitest';
import { findTextFault } from './json-text.ts';

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('what JSON.parse passes over in silence', () => {
  it.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":{"b":[0,{"c":1,"d":2,"c":3}]}}', '/a/b/1/c'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"a/b~":1,"a/b~":2}', '/a~1b~0'],
    ['{"":1,"":2}', '/'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"a":"}\\"","b":"\\\\","a":1}', '/a'],
    [' { "a" : [ 1 , 2 ] , "b" : { "a" : 1 } , "b" : 2 } ', '/b'],
  ])('finds the key that %s has twice', (text, pointer) => {
    JSON.parse(text);
    expect(findTextFault(text)).toMatchObject({ pointer, code: 'duplicate_key' });
  });

  it.each([
    '{"a":{"a":{"a":["a","a",{"a":1}]}}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a","c":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a\\\\":1,"a\\\\\\"":2,"a":3}',
    '"a"',
    '',
    '{',
    '{"a":1,"a',
    ']]}}',
  ])('finds nothing in %s', (text) => {
    expect(findTextFault(text)).toBeUndefined();
  });

  it('names the field that is nested too deep, however deep it is', () => {
    expect(findTextFault(nested(48))).toBeUndefined();
    for (const depth of [49, 500_000]) {
      expect(findTextFault(nested(depth))).toMatchObject({ pointer: '/a', code: 'too_deep', limit: 48 });
    }
    expect(findTextFault('{"a":'.repeat(300_000))).toMatchObject({ pointer: '/a', code: 'too_deep' });
  });
});

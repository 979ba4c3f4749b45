import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { checkWorkProductSchema } from './work-product-schema.ts';

type Schema = { [key: string]: JsonValue };
const check = (expected_schema: Schema, work_product: string | Schema | JsonValue[]) =>
  checkWorkProductSchema({ expected_schema, work_product });

describe('work_product_schema', () => {
  it('passes work that fits and names the place of each error in work that does not', async () => {
    const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };
    expect((await check(schema, { total: 5 })).status).toBe('passed');
    const failed = await check(schema, { total: 'five' });
    expect(failed.status).toBe('failed');
    expect(failed.detail.errors).toEqual([{ path: '/total', message: 'must be number' }]);
  });

  it('reads text that is JSON as JSON', async () => {
    expect((await check({ type: 'array' }, '[1, 2]')).status).toBe('passed');
  });

  it('takes draft-07 and 2020-12, and refuses other drafts and other documents with a reason', async () => {
    expect((await check({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }, 'x')).status).toBe(
      'passed',
    );
    expect((await check({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, 'x')).status).toBe(
      'passed',
    );
    expect((await check({ $schema: 'http://json-schema.org/draft-04/schema#' }, 'x')).detail.reason).toContain('draft');
    expect((await check({ $ref: 'https://example.com/s.json' }, 'x')).detail.reason).toContain('another document');
    expect((await check({ type: 'strnig' }, 'x')).detail.reason).toContain('cannot be applied');
  });

  it('is skipped with its reason when no schema is given', async () => {
    expect(await checkWorkProductSchema({ work_product: 'x' })).toEqual({
      check: 'work_product_schema',
      status: 'skipped',
      detail: { reason: 'no expected_schema' },
    });
  });

  const doubling: Schema = { $defs: { d0: { type: 'string' } }, $ref: '#/$defs/d30' };
  for (let level = 1; level <= 30; level += 1)
    (doubling.$defs as Schema)[`d${level}`] = {
      allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }],
    };
  const nots = (depth: number): Schema => (depth === 0 ? { type: 'string' } : { not: nots(depth - 1) });
  const rows = Array.from({ length: 7_000 }, (_, index) => ({ a: index }));

  it.each<[string, Schema, string | JsonValue[]]>([
    ['references that double 30 times', doubling, 'x'],
    ['500 nested denials', nots(500), 'x'],
    [
      'a thousand patterns',
      { allOf: Array.from({ length: 900 }, () => ({ pattern: '(x+x+)+y' })) },
      'x'.repeat(60_000),
    ],
    ['unique items over 65 KB of objects', { uniqueItems: true, items: {} }, rows],
    ['a schema that refers to itself', { $ref: '#' }, 'x'],
  ])('ends %s by itself', async (_, schema, work) => {
    const outcome = await check(schema, work);
    expect(['failed', 'passed']).toContain(outcome.status);
    if (outcome.status === 'failed') expect(outcome.detail.reason ?? outcome.detail.errors).toBeTruthy();
  });

  it('matches a catastrophic pattern in linear time', async () => {
    const outcome = await check({ pattern: '^(a|a)*$' }, `${'a'.repeat(60_000)}b`);
    expect(outcome.detail.reason).toBeUndefined();
    expect(outcome.status).toBe('failed');
  });
});

import { expect, it } from 'vitest';
import { operations } from '../operations.ts';
import { methodsAt, operationAt } from './routes.ts';

it.each(Object.values(operations))('finds $method $path', ({ name, method, path }) => {
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key ?? '');
  const found = operationAt(method, path.replace(/\{\w+\}/g, 'key%20of%20mine'));
  expect(found).toMatchObject({ name, params: Object.fromEntries(keys.map((key) => [key, 'key of mine'])) });
});

it.each([
  '/api/agent/v1/jobs/',

  '/api/agent/v1/%6Aobs/job_1',
  '/api/agent/v1/Jobs/job_1',
  '/api/agent/v1/jobs/job_1/',
  '/api/agent/v1/jobs/job_1/nothing',
  '/console/switches/service',
])('finds nothing at %s', (path) => {
  expect(methodsAt(path)).toEqual([]);
});

it('takes a key as it stands where its encoding is broken, however long', () => {
  expect(operationAt('GET', '/api/agent/v1/jobs/%zz')?.params).toEqual({ job_key: '%zz' });
  expect(operationAt('GET', `/api/agent/v1/jobs/${'k'.repeat(2_000)}`)?.params.job_key).toHaveLength(2_000);
});

it('knows every method of an address, in the order of the operations', () => {
  expect(methodsAt('/api/agent/v1/sources')).toEqual(['GET', 'POST']);
  expect(methodsAt('/api/agent/v1/jobs/job_1')).toEqual(['GET']);
});

import { expect, it } from 'vitest';
import { type Operation, pathKeys } from '../operation/operation.ts';
import { operations } from '../operations.ts';
import { openApiDocument } from './openapi.ts';
import { requestExamples } from './request-examples.ts';

const posts = Object.values(operations as Record<string, Operation>).filter(({ method }) => method === 'POST');

it.each(posts.map((operation) => [operation.name, operation] as const))(
  'the example of %s is a request that its operation takes, and is in the document',
  (name, operation) => {
    const { idempotency_key: key, ...example } = requestExamples[name as keyof typeof requestExamples];
    const inPath = Object.fromEntries(pathKeys(operation).map((one) => [one, 'a_key']));
    expect(operation.input.safeParse({ ...inPath, ...example }).error).toBeUndefined();
    expect(key !== undefined).toBe(operation.idempotency === 'required');
    const described = openApiDocument('https://example.com').paths?.[operation.path]?.post?.requestBody;
    expect(described).toMatchObject({ content: { 'application/json': { example: { ...example } } } });
  },
);

it('answers of a payment are described by their status', () => {
  const { responses } = openApiDocument('https://example.com').paths?.[operations.pay.path]?.post ?? {};
  const schemaOf = (status: number) => JSON.stringify(responses?.[`${status}`]);
  expect(schemaOf(200)).toContain('#/components/schemas/Job"');
  expect(schemaOf(200)).not.toContain('PendingPayment');
  expect(schemaOf(202)).toContain('#/components/schemas/PendingPayment"');
  expect(schemaOf(202)).not.toContain('schemas/Job"');
});

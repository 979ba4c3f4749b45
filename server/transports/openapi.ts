import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { type Operation, pathKeys, problemsOf } from '../kernel/operation.ts';
import { problems } from '../kernel/problem.ts';
import { operations } from '../operations.ts';
import { service } from '../service/terms.ts';
import { maxKeyLength } from './context.ts';
import { memberCookieName } from './member-session.ts';
import { PaymentRequiredObject, ProblemObject } from './refusals.ts';

const idempotencyKey = z.string().min(1).max(maxKeyLength);

let document: ReturnType<typeof createDocument> | undefined;

/** The OpenAPI 3.1 document, derived from the operations. */
export function openApiDocument(baseUrl: string): ReturnType<typeof createDocument> {
  document ??= createDocument({
    openapi: '3.1.0',
    info: { title: service.name, version: service.interface, summary: service.summary },
    servers: [{ url: baseUrl }],
    paths: paths(),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        member: {
          type: 'apiKey',
          in: 'cookie',
          name: memberCookieName({ baseUrl }),
          description: 'A signed-in member, from a page of the service.',
        },
      },
    },
  });
  return document;
}

function paths(): ZodOpenApiPathsObject {
  const all: ZodOpenApiPathsObject = {};
  for (const operation of Object.values(operations)) {
    all[operation.path] = { ...all[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return all;
}

function describe(operation: Operation): ZodOpenApiOperationObject {
  const input = operation.input as z.ZodObject;
  const keys = pathKeys(operation);
  const shape = Object.entries(input.shape);
  const inPath = z.object(Object.fromEntries(shape.filter(([name]) => keys.includes(name))));
  const rest = Object.fromEntries(shape.filter(([name]) => !keys.includes(name)));
  const required = operation.idempotency === 'required';
  return {
    operationId: operation.name,
    summary: operation.summary,
    security: securityOf(operation),
    requestParams: {
      ...(keys.length > 0 ? { path: inPath } : {}),
      ...(operation.method === 'GET' && Object.keys(rest).length > 0 ? { query: z.object(rest) } : {}),
      header: z.object(headers(operation)),
    },
    ...(operation.method === 'POST'
      ? {
          requestBody: {
            required: Object.values(rest).some((field) => !field.safeParse(undefined).success),
            content: {
              'application/json': {
                schema: z.strictObject({
                  ...rest,
                  idempotency_key: idempotencyKey
                    .optional()
                    .meta({ description: required ? 'Required here or as the Idempotency-Key header.' : 'Optional.' }),
                }),
              },
            },
          },
        }
      : {}),
    responses: responses(operation),
  };
}

function securityOf({ audience }: Operation): { [scheme: string]: string[] }[] {
  if (audience.includes('public')) return [];
  return audience.map((kind) => (kind === 'member' ? { member: [] } : { bearer: [] }));
}

function headers(operation: Operation): Record<string, z.ZodType> {
  return {
    ...(operation.method === 'POST' ? { 'Idempotency-Key': idempotencyKey.optional() } : {}),
    ...(operation.paid ? { 'PAYMENT-SIGNATURE': z.string().optional() } : {}),
    ...(operation.waits ? { Prefer: z.string().optional() } : {}),
    ...(operation.method === 'GET' ? { 'If-None-Match': z.string().optional() } : {}),
  };
}

/** How many requests are left (draft-ietf-httpapi-ratelimit-headers-10). */
const paceHeaders = {
  RateLimit: z.string().meta({ example: '"requests";r=599;t=60' }),
  'RateLimit-Policy': z.string().meta({ example: '"requests";q=600;w=60' }),
};

function answerHeaders(operation: Operation): Record<string, z.ZodType> {
  const paged = 'after' in (operation.input as z.ZodObject).shape;
  return {
    'X-Request-Id': z.string(),
    ...(operation.method === 'GET' ? { ETag: z.string() } : {}),
    ...(problemsOf(operation).includes('rate_limited')
      ? { RateLimit: paceHeaders.RateLimit.optional(), 'RateLimit-Policy': paceHeaders['RateLimit-Policy'].optional() }
      : {}),
    ...(paged
      ? { Link: z.string().optional().meta({ description: 'The next page, with rel="next" (RFC 8288).' }) }
      : {}),
  };
}

function responses(operation: Operation): ZodOpenApiOperationObject['responses'] {
  const answers: ZodOpenApiOperationObject['responses'] = {};
  for (const status of operation.success) {
    answers[`${status}`] = {
      description: 'Done.',
      headers: z.object(answerHeaders(operation)),
      content: { 'application/json': { schema: operation.output } },
    };
  }
  if (operation.method === 'GET') answers['304'] = { description: 'Nothing has changed since the given ETag.' };
  if (operation.paid) {
    answers['402'] = {
      description: 'Not paid, or the payment is not valid.',
      content: { 'application/json': { schema: PaymentRequiredObject } },
    };
  }
  const byStatus = Map.groupBy(problemsOf(operation), (code) => problems[code].status);
  for (const [status, codes] of byStatus) {
    answers[`${status as 400}`] = {
      description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
      ...(codes.includes('rate_limited')
        ? { headers: z.object({ ...paceHeaders, 'Retry-After': z.string().meta({ description: 'Seconds.' }) }) }
        : {}),
      content: { 'application/problem+json': { schema: ProblemObject } },
    };
  }
  return answers;
}

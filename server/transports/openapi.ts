import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Operator } from '../configuration/operator.ts';
import { type PublishedAudience, type PublishedOperation, pathKeys, problemsOf } from '../operation/operation.ts';
import { operations } from '../operations.ts';
import { type ProblemCode, problems } from '../problems/catalogue.ts';
import { service } from '../service/terms.ts';
import { maxKeyLength } from './context.ts';
import { memberCookieName } from './member-session.ts';
import { PaymentRequiredObject, ProblemObject } from './refusals.ts';
import { type PostName, requestExamples } from './request-examples.ts';

const idempotencyKey = z.string().min(1).max(maxKeyLength);

/** The OpenAPI 3.1 document, derived from the operations. */
export function openApiDocument(baseUrl: string, operator: Operator | null = null): ReturnType<typeof createDocument> {
  return growing({
    openapi: '3.1.0',
    info: {
      title: service.name,
      version: service.interface,
      description: service.summary,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: {
        name: operator?.name ?? 'Whoever runs this service',
        url: `${baseUrl}/contact`,
        ...(operator ? { email: operator.email } : {}),
      },
      termsOfService: `${baseUrl}/terms`,
    },
    tags: tags.map(([name, description]) => ({ name, description })),
    servers: [{ url: baseUrl }],
    paths: paths(),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        member: {
          type: 'apiKey',
          in: 'cookie',
          name: memberCookieName({ baseUrl }),
          description: 'A signed-in member, from a page of this service.',
        },
      },
    },
  });
}

/** Lets answers gain members within version 1 (specification 2.5). Input stays closed: an unknown field is an error. */
function growing(description: Parameters<typeof createDocument>[0]): ReturnType<typeof createDocument> {
  const made = createDocument(description);
  const all = JSON.stringify(Object.values(made.paths ?? {}).flatMap((path) => [path?.post?.requestBody]));
  const { schemas = {} } = made.components ?? {};
  for (const [id, schema] of Object.entries(schemas)) if (!all.includes(`"#/components/schemas/${id}"`)) open(schema);
  for (const path of Object.values(made.paths ?? {})) {
    for (const operation of [path?.get, path?.post, path?.delete]) open(operation?.responses);
  }
  return made;
}

/** Removes `additionalProperties: false` everywhere. */
function open(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if ('additionalProperties' in node && node.additionalProperties === false) delete node.additionalProperties;
  for (const child of Object.values(node)) open(child);
}

function paths(): ZodOpenApiPathsObject {
  const all: ZodOpenApiPathsObject = {};
  for (const operation of Object.values(operations)) {
    all[operation.path] = { ...all[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return all;
}

function describe(operation: PublishedOperation): ZodOpenApiOperationObject {
  const input = operation.input as z.ZodObject;
  const keys = pathKeys(operation);
  const shape = Object.entries(input.shape);
  const inPath = z.object(Object.fromEntries(shape.filter(([name]) => keys.includes(name))));
  const rest = Object.fromEntries(shape.filter(([name]) => !keys.includes(name)));
  const required = operation.idempotency === 'required';
  return {
    operationId: operation.name,
    summary: firstSentence(operation.summary),
    description: operation.summary,
    tags: [tagOf(operation)],
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
                example: requestExamples[operation.name as PostName],
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

const tags = [
  ['documents', 'What is sold here, for anyone to read.'],
  ['identity', 'Signing in and registering.'],
  ['purchases', 'From quote to receipt.'],
  ['members', 'What members of an account do.'],
] as const;

function tagOf({ audience, cacheSeconds, method, name }: PublishedOperation): (typeof tags)[number][0] {
  if (audience.includes('public')) return cacheSeconds && method === 'GET' ? 'documents' : 'identity';
  if (!audience.includes('agent')) return 'members';
  return identityNames.includes(name) ? 'identity' : 'purchases';
}

const identityNames: readonly string[] = ['me', 'rotate_credential', 'wallet_sign_out'];

function securityOf({ audience }: PublishedOperation): { [scheme: string]: string[] }[] {
  if (audience.includes('public')) return [];
  return audience.map((kind) => securityBy[kind]);
}

const securityBy: Readonly<Record<PublishedAudience, { [scheme: string]: string[] }>> = {
  public: {},
  agent: { bearer: [] },
  member: { member: [] },
};

function headers(operation: PublishedOperation): Record<string, z.ZodType> {
  return {
    ...(operation.method === 'POST' ? { 'Idempotency-Key': idempotencyKey.optional() } : {}),
    ...(operation.paid ? { 'PAYMENT-SIGNATURE': z.string().optional() } : {}),
    ...(operation.signsIn ? { 'SIGN-IN-WITH-X': z.string().optional() } : {}),
    ...(operation.waits ? { Prefer: z.string().optional() } : {}),
    ...(operation.method === 'GET' ? { 'If-None-Match': z.string().optional() } : {}),
  };
}

/** How many requests are left (draft-ietf-httpapi-ratelimit-headers-10). */
const paceHeaders = {
  RateLimit: z.string().meta({ example: '"requests";r=599;t=60' }),
  'RateLimit-Policy': z.string().meta({ example: '"requests";q=600;w=60' }),
};

function answerHeaders(operation: PublishedOperation): Record<string, z.ZodType> {
  const paged = 'after' in (operation.input as z.ZodObject).shape;
  return {
    'X-Request-Id': requestId,
    'Cache-Control': z.string(),
    ...(operation.method === 'GET' ? { ETag: z.string() } : {}),
    ...(operation.cacheSeconds
      ? { 'Access-Control-Allow-Origin': z.literal('*').meta({ description: 'Pages from any origin may read it.' }) }
      : {}),
    ...(operation.idempotency === 'none'
      ? {}
      : { 'Idempotent-Replayed': z.string().optional().meta({ description: '"true" on an answer given before.' }) }),
    ...(operation.paid
      ? {
          'PAYMENT-RESPONSE': z
            .string()
            .optional()
            .meta({ description: 'Base 64 of the settlement (x402 version 2).' }),
        }
      : {}),
    ...(operation.waits || answersWithJob(operation)
      ? { 'Retry-After': z.string().optional().meta({ description: 'Seconds, while the job is in progress.' }) }
      : {}),
    ...(operation.name === 'report' ? { 'X-Report-Digest': z.string() } : {}),
    ...(problemsOf(operation).includes('rate_limited')
      ? { RateLimit: paceHeaders.RateLimit.optional(), 'RateLimit-Policy': paceHeaders['RateLimit-Policy'].optional() }
      : {}),
    ...(paged
      ? { Link: z.string().optional().meta({ description: 'The next page, with rel="next" (RFC 8288).' }) }
      : {}),
  };
}

/** Every answer with a job says when to look again while it moves. */
function answersWithJob({ output, outputs }: PublishedOperation): boolean {
  const body = outputs?.[200] ?? output;
  return body instanceof z.ZodObject && 'charge_state' in body.shape;
}

const requestId = z.string().meta({ description: 'Same as request_id in a refusal.' });

/** A refusal's headers, beside its request id. */
function refusalHeaders(codes: readonly ProblemCode[]): Record<string, z.ZodType> {
  const retryAfter = z.string().meta({ description: 'Seconds.' });
  const isRetryable = codes.some((code) => problems[code].retryable);
  return {
    ...(codes.includes('rate_limited') ? paceHeaders : {}),
    ...(isRetryable ? { 'Retry-After': codes.includes('rate_limited') ? retryAfter : retryAfter.optional() } : {}),
    ...(codes.some((code) => problems[code].status === 401)
      ? { 'WWW-Authenticate': z.string().meta({ example: 'Bearer realm="svc"' }) }
      : {}),
    ...(codes.includes('method_not_allowed') ? { Allow: z.string() } : {}),
  };
}

function firstSentence(text: string): string {
  return text.split(/[.:;](?:\s|$)/, 1)[0] ?? text;
}

const successWords: Readonly<Record<200 | 201 | 202, string>> = {
  200: 'Done, or the current state.',
  201: 'Made.',
  202: 'Accepted; somebody else has to act before it is done.',
};

function responses(operation: PublishedOperation): ZodOpenApiOperationObject['responses'] {
  const answers: ZodOpenApiOperationObject['responses'] = {};
  for (const status of operation.success) {
    answers[`${status}`] = {
      description: successWords[status],
      headers: z.object(answerHeaders(operation)),
      content: { 'application/json': { schema: operation.outputs?.[status] ?? operation.output } },
    };
  }
  if (operation.method === 'GET') answers['304'] = { description: 'Not changed since the given ETag.' };
  if (operation.paid || operation.signsIn) {
    answers['402'] = {
      description: operation.paid
        ? 'Not paid, or the payment is not valid.'
        : 'Nothing to pay: sign the challenge of the extension sign-in-with-x.',
      headers: z.object({
        'X-Request-Id': requestId,
        'PAYMENT-REQUIRED': z.string().meta({ description: 'Base 64 of the body (x402 version 2).' }),
      }),
      content: { 'application/json': { schema: PaymentRequiredObject } },
    };
  }
  const byStatus = Map.groupBy(problemsOf(operation), (code) => problems[code].status);
  for (const [status, codes] of byStatus) {
    answers[`${status as 400}`] = {
      description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
      headers: z.object({ 'X-Request-Id': requestId, ...refusalHeaders(codes) }),
      content: { 'application/problem+json': { schema: ProblemObject } },
    };
  }
  return answers;
}

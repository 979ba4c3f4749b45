import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';
import { text } from '../work-check/input-fields.ts';

/** Documents of an account that the service may retrieve for its agents (specification 1.6, 5.2). Pure. */

export const sourceBounds = {
  /** UTF-8 bytes of one document: as much as an evidence item. */
  document_bytes: 32_768,
  documents_per_account: 200,
  name_bytes: 200,
} as const;

const mediaTypes = ['text/plain', 'text/markdown'] as const;

const instant = z.iso.datetime();
const key = z.string().min(1).max(64);

export const Source = z
  .object({
    source_key: key.meta({ description: 'What a check request names in context.refs.' }),
    name: z.string(),
    media_type: z.enum(mediaTypes),
    digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    bytes: z.int().min(1),
    added_at: instant,
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof Source>;

export const sources = defineOperation({
  name: 'sources',
  summary: 'List the governed documents of the account. A grant must cover governed refs.',
  method: 'GET',
  path: '/api/agent/v1/sources',
  audience: ['agent', 'member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z.object({ sources: z.array(Source).max(sourceBounds.documents_per_account) }).meta({ id: 'Sources' }),
  success: [200],
  problems: ['invalid_token', 'grant_scope_missing'],
});

export const addSource = defineOperation({
  name: 'add_source',
  summary: 'Add a governed document. It cannot be changed; to replace it, remove it and add a new one. For members.',
  method: 'POST',
  path: '/api/agent/v1/sources',
  audience: ['member'],
  effect: 'write',
  idempotency: 'optional',
  maxBytes: 2 * 1024 * 1024,
  input: z.strictObject({
    name: text(sourceBounds.name_bytes, 'refused').meta({ description: 'Its name in reports, unique in the account.' }),
    text: text(sourceBounds.document_bytes, 'refused').meta({ description: 'At most 32768 bytes of UTF-8.' }),
    media_type: z.enum(mediaTypes).optional().meta({ description: 'text/plain by default.' }),
  }),
  output: Source,
  success: [201, 200],
  problems: [
    'invalid_token',
    'idempotency_key_conflict',
    'idempotency_in_progress',
    'source_limit_reached',
    'source_name_taken',
  ],
});

export const removeSource = defineOperation({
  name: 'remove_source',
  summary: 'Remove a governed document and its text. A check that still needs it fails at no charge.',
  method: 'DELETE',
  path: '/api/agent/v1/sources/{source_key}',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({ source_key: key }),
  output: Source.extend({ removed_at: instant }).meta({ id: 'RemovedSource' }),
  success: [200],
  problems: ['invalid_token', 'not_found'],
});

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Problem } from '../../problems/problem.ts';
import type { CheckRequest } from '../../work-check/contract.ts';

/**
 * Finds a schema that the check could not apply, before anybody pays. Only reads it, by the schema of its draft:
 * compiling it could take long, and quotes are free.
 */

const options = { strict: false, validateFormats: false, logger: false } as const;
const drafts = [
  { named: /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, ajv: new Ajv2020(options) },
  { named: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, ajv: new Ajv(options) },
];

/** The refusal of an unusable `expected_schema`; else null. */
export function schemaRefusal(schema: CheckRequest['expected_schema']): Problem | null {
  const detail = schema === undefined ? null : faultOf(schema);
  if (detail === null) return null;
  return new Problem('validation_failed', `/expected_schema: ${detail}`, {
    errors: [{ pointer: '/expected_schema', code: 'unusable_schema', detail }],
  });
}

function faultOf({ $schema, ...schema }: NonNullable<CheckRequest['expected_schema']>): string | null {
  const draft = $schema === undefined ? drafts[0] : drafts.find(({ named }) => named.test(String($schema)));
  if (!draft) return 'It names a draft other than 2020-12 and draft-07.';
  const { ajv } = draft;
  if (ajv.validateSchema(schema) !== true) {
    const [error] = ajv.errors ?? [];
    return `It is no JSON Schema: ${error?.instancePath || 'the schema'} ${error?.message ?? 'breaks a rule'}.`;
  }
  return referenceFault(schema);
}

/** References within the document must lead somewhere; others are not followed. */
function referenceFault(schema: object): string | null {
  const rest: unknown[] = [schema];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string' && !$ref.startsWith('#'))
      return 'It refers to another document, which is not fetched.';
    if (typeof $ref === 'string' && /^#(?:\/|$)/.test($ref) && !leadsSomewhere(schema, $ref)) {
      return `Its reference ${JSON.stringify($ref.slice(0, 100))} leads nowhere.`;
    }
    rest.push(...Object.values(node));
  }
  return null;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Whether a JSON pointer in a fragment (RFC 6901, section 6) has a target. */
function leadsSomewhere(schema: object, reference: string): boolean {
  let at: unknown = schema;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}

import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { JsonValue } from '../../kernel/json-value.ts';

export type SchemaError = { path: string; message: string };
export type SchemaResult = { valid: boolean; errors: SchemaError[]; reason?: string };

/** Keywords and subschemas a buyer's schema may hold; 16,384 bytes of honest schema stay far below. */
const SCHEMA_MEMBERS_MAX = 2_000;
const SCHEMA_DEPTH_MAX = 24;
const REFS_MAX = 100;
const ERRORS_MAX = 10;

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

// Ajv asks for a maker of regular expressions; RE2 matches in linear time, whatever the pattern.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Ajv shares compiled patterns by their text.
    return { test: (text: string) => compiled.test(text), toString: () => pattern };
  },
  { code: 'undefined' },
);

const options: Options = {
  strict: false,
  validateFormats: false,
  allErrors: true,
  inlineRefs: false,
  addUsedSchema: false,
  logger: false,
  code: { regExp: linearRegExp },
};

/**
 * Applies a JSON Schema (2020-12, or draft-07 where `$schema` says so) to a value. Patterns run in linear time; remote
 * references, `$data` and `format` are not applied. May take long on a hostile schema: call it where it can be killed.
 */
export function validateAgainstSchema(schema: { [key: string]: JsonValue }, value: JsonValue): SchemaResult {
  const refused = refuseSchema(schema);
  if (refused !== undefined) return { valid: false, errors: [], reason: refused };
  const { $schema, ...rest } = schema;
  const is07 = typeof $schema === 'string' && DRAFT_07.test($schema);
  if ($schema !== undefined && !is07 && String($schema).replace(/#$/, '') !== DRAFT_2020)
    return { valid: false, errors: [], reason: 'the schema names a draft other than 2020-12 or draft-07' };
  const ajv = is07 ? new Ajv(options) : new Ajv2020(options);
  let validate: ReturnType<typeof ajv.compile>;
  try {
    validate = ajv.compile(rest);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { valid: false, errors: [], reason: `the schema cannot be applied: ${message.slice(0, 200)}` };
  }
  const valid = validate(value) === true;
  const errors = (validate.errors ?? []).slice(0, ERRORS_MAX).map((error) => ({
    path: error.instancePath.slice(0, 200),
    message: (error.message ?? error.keyword).slice(0, 200),
  }));
  return { valid, errors };
}

function refuseSchema(schema: JsonValue): string | undefined {
  const stack: { value: JsonValue; depth: number }[] = [{ value: schema, depth: 0 }];
  let [members, refs] = [0, 0];
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { value, depth } = frame;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > SCHEMA_DEPTH_MAX) return `the schema is nested deeper than ${SCHEMA_DEPTH_MAX} levels`;
    for (const [key, child] of Object.entries(value)) {
      members += 1;
      if ((key === '$ref' || key === '$dynamicRef') && !Array.isArray(value)) {
        refs += 1;
        if (typeof child === 'string' && !child.startsWith('#')) return 'the schema refers to another document';
      }
      stack.push({ value: child, depth: depth + 1 });
    }
    if (members > SCHEMA_MEMBERS_MAX) return `the schema holds more than ${SCHEMA_MEMBERS_MAX} members`;
    if (refs > REFS_MAX) return `the schema holds more than ${REFS_MAX} references`;
  }
  return undefined;
}

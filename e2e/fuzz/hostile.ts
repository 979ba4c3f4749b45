import fc from 'fast-check';

/** What an agent may send, from almost right to hostile, as fast-check arbitraries. */

/** Placeholders: JSON words that stand for something `JSON.stringify` cannot write. */
const smuggled: Readonly<Record<string, string>> = {
  '@beyond-double@': '1e999',
  '@minus-zero@': '-0',
  '@long-number@': '1'.repeat(400),
  '@lone-escape@': '"\\ud83d"',
  '@long-text@': JSON.stringify('é'.repeat(70_000)),
  '@wide-array@': JSON.stringify(Array.from({ length: 25_000 }, () => 0)),
  '@wide-object@': JSON.stringify(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, null]))),
  '@deep-array@': '['.repeat(20_000) + ']'.repeat(20_000),
  '@deep-object@': `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
};

/** The JSON text of a value, with its placeholders replaced by what only text can express. */
export function hostileJson(value: unknown): string {
  return JSON.stringify(value).replace(/"(@[a-z-]+@)"/g, (whole, word: string) => smuggled[word] ?? whole);
}

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'a\udfff',
    '\u202e\u0000',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    '0',
    '-1',
    '%00',
    '%',
    '..',
    '../..',
    '/',
    '?',
    '#',
    "'; drop table jobs; --",
    '{{7*7}}',
    '<script>',
    '2026-02-30T25:61:61Z',
    '+275760-09-13T00:00:00Z',
    '0x',
    'x'.repeat(65),
    'é'.repeat(200),
  ),
);

const oddNumber = fc.constantFrom(-1, 0, 1, 0.1, 1e21, 1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63));
const oddStructure: fc.Arbitrary<unknown> = fc.constantFrom(
  null,
  true,
  [],
  {},
  [[]],
  [null],
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  { constructor: { prototype: {} } },
  { toString: null, toJSON: 1, length: -1 },
);

/** A value that no field expects. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  oddNumber,
  oddStructure,
  fc.constantFrom(...Object.keys(smuggled)),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One change to a request: `where` selects a place by number. */
export interface Change {
  where: number;
  how: 'replace' | 'remove' | 'add';
  name: string;
  value: unknown;
}

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    where: fc.nat(1_000),
    how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
    name: fc.oneof(oddText, fc.constantFrom('job_key', 'quote_key', 'idempotency_key', 'state', 'principal_key')),
    value: hostileValue,
  }),
  { minLength: 1, maxLength: 3 },
);

/** A changed copy of the value. */
export function changed(value: Record<string, unknown>, all: readonly Change[]): Record<string, unknown> {
  const copy = structuredClone(value);
  for (const { where, how, name, value: shared } of all) {
    const odd = structuredClone(shared);
    const places = placesOf(copy);
    const place = places[where % Math.max(places.length, 1)];
    if (how === 'add' || !place) {
      const target = place && isObject(place.holder) ? place.holder : copy;
      Object.defineProperty(target, name, { value: odd, enumerable: true, configurable: true, writable: true });
    } else if (how === 'remove') Reflect.deleteProperty(place.holder, place.name);
    else Reflect.set(place.holder, place.name, odd);
  }
  return copy;
}

/** Every member of every object and array, outer ones first, as deep as the contracts go. */
function placesOf(value: unknown, depth = 0): { holder: object; name: string }[] {
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  const names = Object.keys(value).slice(0, 50);
  return names.flatMap((name) => [
    { holder: value, name },
    ...placesOf((value as Record<string, unknown>)[name], depth + 1),
  ]);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Values that a JSON Schema allows, or nearly: constraints that no generator can express are ignored. */
export function valuesOf(schema: JsonSchema, root: JsonSchema = schema): fc.Arbitrary<unknown> {
  const { $ref, enum: allowed, const: only, type } = schema;
  if (typeof $ref === 'string') return valuesOf(at(root, $ref), root);
  if (Array.isArray(allowed)) return fc.constantFrom(...allowed);
  if (only !== undefined) return fc.constant(only);
  const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (options) return fc.oneof(...options.map((option) => valuesOf(option, root)));
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => valuesOf({ ...schema, type: one }, root)));
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as JsonSchema, root), {
        minLength: Math.min(Number(schema.minItems ?? 0), 4),
        maxLength: 4,
      });
    case 'object':
      return objects(schema, root);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function at(root: JsonSchema, reference: string): JsonSchema {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean);
  return steps.reduce((node, step) => node[step] as JsonSchema, root);
}

function texts(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern));
  const bounds = { minLength: Number(schema.minLength ?? 0), maxLength: Math.min(Number(schema.maxLength ?? 60), 200) };
  return fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: 'grapheme' }), fc.lorem());
}

function numbers({ minimum, maximum, type }: JsonSchema): fc.Arbitrary<number> {
  const min = Number(minimum ?? Number.MIN_SAFE_INTEGER);
  const max = Number(maximum ?? Number.MAX_SAFE_INTEGER);
  return type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
}

function objects(schema: JsonSchema, root: JsonSchema): fc.Arbitrary<unknown> {
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  if (!properties) return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 });
  const members = Object.entries(properties).map(([name, member]) => [name, valuesOf(member, root)] as const);
  const requiredKeys = (schema.required ?? []) as string[];
  return fc.record(Object.fromEntries(members), { requiredKeys, noNullPrototype: true });
}

const headerText = fc.string({
  unit: fc.constantFrom(...' !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\u00a0\u00ff'.split('')),
  maxLength: 60,
});

/** Headers added to those of an honest request; some replace one. */
export const headers: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'authorization',
    'content-encoding',
    'content-type',
    'cookie',
    'forwarded',
    'host',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'last-event-id',
    'mcp-protocol-version',
    'mcp-session-id',
    'origin',
    'payment-signature',
    'prefer',
    'range',
    'sec-fetch-site',
    'x-forwarded-for',
    'x-http-method-override',
    'x-odd',
    'x-request-id',
  ),
  fc.oneof(
    headerText,
    fc.constantFrom('', '*', 'gzip', 'null', 'text/plain', 'application/json;charset=utf-16', 'bytes=0-1'),
    fc.constantFrom('wait=0', 'wait=1', 'wait=-1', 'cross-site', 'same-origin', '2024-11-05', '2099-01-01'),
    fc.constantFrom('Bearer', 'Bearer  ', 'Basic YTpi', 'é'.repeat(300), 'e30=', 'bnVsbA==', 'x'.repeat(2_000)),
    fc.jsonValue({ maxDepth: 2 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
  ),
  { minKeys: 1, maxKeys: 3 },
);

/** Bodies that are not JSON objects, as bytes. */
export const oddBody: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc
    .constantFrom(
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '{}{}',
      '\ufeff{}',
      "{'a':1}",
      '{"a":1,}',
      '{"a":NaN}',
      '{"__proto__":{"a":1}}',
      '{"idempotency_key":"a","idempotency_key":"b"}',
      `{"a":${'['.repeat(100_000)}`,
      `{"a":"${'x'.repeat(300_000)}"}`,
    )
    .map((text) => Buffer.from(text)),
);

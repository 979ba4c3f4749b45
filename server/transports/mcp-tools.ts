import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Operation, pathKeys } from '../operation/operation.ts';
import { type OperationName, tools } from '../operations.ts';
import { Problem } from '../problems/problem.ts';
import { NextAction } from '../purchases/contract.ts';
import { maxKeyLength } from './context.ts';
import { inSnake, type Spelling } from './mcp-lines.ts';
import { argumentWords, paymentArgument, readerTools, toolWords, waitSeconds } from './mcp-words.ts';
import { PaymentRequiredObject } from './refusals.ts';

/** Which tools an address offers: all, or those that move no money. */
export type Profile = 'buyer' | 'reader';

type ToolOperation = Operation & { name: OperationName };

const byEitherName = new Map(
  [...tools].flatMap(([name, all]) => [[name, all] as const, [inSnake(name), all] as const]),
);

/** The operation of a call: the one whose path keys are given. Null for no tool. */
export function operationOf(tool: string, args: Record<string, unknown>): ToolOperation | null {
  const operations = byEitherName.get(tool);
  const named = operations?.find((operation) => pathKeys(operation).every((key) => Object.hasOwn(args, key)));
  return named ?? operations?.[0] ?? null;
}

/** The refusal of a call that does not name exactly one key of a tool with several operations; else null. */
export function unclearKey(tool: string, args: Record<string, unknown>): Problem | null {
  const operations = byEitherName.get(tool) ?? [];
  if (operations.length < 2) return null;
  const keys = operations.flatMap(pathKeys);
  const given = keys.filter((key) => Object.hasOwn(args, key));
  if (given.length === 1) return null;
  const detail = `Give exactly one of ${keys.join(' and ')}.`;
  const errors = (given.length === 0 ? keys : given).map((key) => ({ pointer: `/${key}`, code: 'one_of', detail }));
  return new Problem('validation_failed', detail, { errors });
}

/** Whether the tool takes `wait_seconds`. */
export function toolWaits(tool: string): boolean {
  return byEitherName.get(tool)?.some(({ waits }) => waits) ?? false;
}

function listing(name: string, tool: string, operations: readonly ToolOperation[]): Tool {
  const { title, description } = toolWords[tool] ?? { title: tool, description: '' };
  const paid = operations.some((operation) => operation.paid);
  return {
    name,
    title,
    description: name === tool ? description : inSnake(description),
    inputSchema: inputSchema(operations),
    // Older clients check error results against this schema, too: include refusals.
    outputSchema: {
      ...jsonSchema(
        z.union([
          ...operations.map((operation) => operation.output),
          Refusal,
          ...(paid ? [PaymentRequiredObject] : []),
        ]),
        'output',
      ),
      type: 'object',
    },
    annotations: {
      readOnlyHint: operations.every((operation) => operation.effect === 'read'),
      // Repeats have no second effect, unless the operation says otherwise.
      idempotentHint: !operations.some((operation) => operation.repeatsByKeyOnly),
      destructiveHint: operations.some((operation) => operation.effect === 'money' || operation.destroys),
      openWorldHint: operations.some((operation) => operation.effect === 'money'),
    },
  };
}

/** Path keys and body, flat. Plain properties at the root: model vendors refuse combinators there. */
function inputSchema(operations: readonly ToolOperation[]): Tool['inputSchema'] {
  const [first, ...others] = operations.map((operation) => jsonSchema(argumentsOf(operation), 'input'));
  const properties: Properties = Object.assign({}, first?.properties, ...others.map((schema) => schema.properties));
  if (operations.some((operation) => operation.paid)) properties.payment = { ...paymentArgument };
  for (const [name, property] of Object.entries(properties)) {
    property.title ??= titleOf(name);
    if (Object.hasOwn(argumentWords, name)) property.description = argumentWords[name];
  }
  const all = properties as Tool['inputSchema']['properties'];
  if (others.length === 0) return { ...first, properties: all, type: 'object' };
  const names = Object.keys(properties);
  return {
    type: 'object',
    description: `Takes exactly one of ${names.join(' and ')}.`,
    properties: { ...all, ...(operations.some(({ waits }) => waits) ? { wait_seconds: waitSeconds } : {}) },
    additionalProperties: false,
  };
}

type Properties = Record<string, Record<string, unknown>>;

/** `max_price_microcents` in dollars. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The members of every refusal; each has more. */
const Refusal = z.looseObject({
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  request_id: z.string(),
  errors: z.array(z.looseObject({})).optional(),
  next_actions: z.array(z.looseObject({})).optional(),
});

function argumentsOf(operation: Operation): z.ZodType {
  const { shape } = operation.input as z.ZodObject;
  if (operation.idempotency === 'none') return z.strictObject(shape);
  const key = z.string().min(1).max(maxKeyLength).meta({
    description: 'New for each call; save it first. A repeat with it has no second effect.',
  });
  return z.strictObject({ ...shape, idempotency_key: operation.idempotency === 'required' ? key : key.optional() });
}

/** Unnecessary for clients that only read. Answers may gain members within version 1 (specification 2.5). */
const wordsOfInput = [
  'additionalProperties',
  'propertyNames',
  'description',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
] as const;

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...derived } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema: node, zodSchema, path }) {
      // Nobody sends an empty text: not worth a model's tokens.
      if (node.minLength === 1) delete node.minLength;
      // `format` says it in a word; the pattern would cost models many tokens.
      if (node.format === 'date-time') delete node.pattern;
      for (const bound of ['minimum', 'maximum'] as const) {
        if (Math.abs(node[bound] ?? 0) === Number.MAX_SAFE_INTEGER) delete node[bound];
      }
      if (io === 'output') shortenAnswer(node, zodSchema === NextAction, path.length);
    },
  });
  separateTypes(derived, io);
  return derived;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Leaves out of an answer's schema what a model does not need to read it. */
function shortenAnswer(node: JsonSchema, isAction: boolean, depth: number): void {
  for (const word of wordsOfInput) delete node[word];
  // The values imply their type.
  if (node.enum || node.const !== undefined) delete node.type;
  if (Object.keys(node.properties ?? { any: true }).length === 0) delete node.properties;
  // For an answer, its top-level members are enough.
  if (depth > 2 && node.id === undefined) delete node.required;
  // Answers explain each action; don't repeat it per tool.
  if (isAction) {
    node.properties = { action: { type: 'string' }, mcp_tool: { type: 'string' }, body: { type: 'object' } };
    delete node.required;
  }
  // Deep in an answer the name says enough: the contract has its whole schema.
  if (depth > 4 && node.type === 'object') delete node.properties;
}

/**
 * One `type` each: some model vendors refuse lists of types, and arrays without `items`. Arguments that may be text are not
 * listed as objects, too: LangChain keeps the objects of a union alone, and then refuses text. Models send JSON as text;
 * objects are taken all the same.
 */
function separateTypes(schema: unknown, io: 'input' | 'output'): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const part of Object.values(schema)) separateTypes(part, io);
  const { type: types, items = {} } = schema as { type?: unknown; items?: unknown };
  if (!Array.isArray(types)) return;
  const kept = io === 'input' && types.includes('string') ? types.filter((type) => type !== 'object') : types;
  const each = kept.map((type) => (type === 'array' ? { type, items } : { type }));
  const node = schema as Record<string, unknown>;
  delete node.type;
  delete node.items;
  Object.assign(node, each.length === 1 ? each[0] : { anyOf: each });
}

const listings = (spelling: Spelling) =>
  [...tools].map(([name, operations]) => listing(spelling === 'snake' ? inSnake(name) : name, name, operations));

/** The ten tools in each spelling, derived from the operations once per process. */
export const toolListings: Readonly<Record<Spelling, Tool[]>> = { dots: listings('dots'), snake: listings('snake') };

const readable: ReadonlySet<string> = new Set(readerTools.flatMap((name) => [name, inSnake(name)]));

/** Whether a profile offers the tool, in either spelling. */
export function offers(profile: Profile, tool: string): boolean {
  return profile === 'buyer' || readable.has(tool);
}

/** The tools of `tools/list`. */
export function listed(profile: Profile, spelling: Spelling): Tool[] {
  return toolListings[spelling].filter(({ name }) => offers(profile, name));
}

import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Operation, pathKeys } from '../kernel/operation.ts';
import { type OperationName, tools } from '../operations.ts';
import { maxKeyLength } from './context.ts';
import { PaymentRequiredObject, ProblemObject } from './refusals.ts';

/** How tools are spelled: as the interface names them, or for clients that refuse dots. */
export type Spelling = 'dots' | 'snake';

/** The tools as `tools/list` shows them, derived from the operations once a process. */
export const toolListings: Readonly<Record<Spelling, Tool[]>> = {
  dots: [...tools].map(([name, operations]) => listing(name, operations)),
  snake: [...tools].map(([name, operations]) => listing(inSnake(name), operations)),
};

type ToolOperation = Operation & { name: OperationName };

const byEitherName = new Map(
  [...tools].flatMap(([name, all]) => [[name, all] as const, [inSnake(name), all] as const]),
);

/** The operation that a call of the tool means: of several the one whose path keys are given. Null for no tool. */
export function operationOf(tool: string, args: Record<string, unknown>): ToolOperation | null {
  const operations = byEitherName.get(tool);
  const named = operations?.find((operation) => pathKeys(operation).every((key) => Object.hasOwn(args, key)));
  return named ?? operations?.[0] ?? null;
}

function inSnake(name: string): string {
  return name.replaceAll('.', '_');
}

function listing(name: string, operations: readonly ToolOperation[]): Tool {
  const paid = operations.some((operation) => operation.paid);
  return {
    name,
    description: operations.map((operation) => operation.summary).join(' '),
    inputSchema: inputSchema(operations),
    // Older clients hold error results against this schema too, so it has to say how refusals look.
    outputSchema: {
      ...jsonSchema(
        z.union([
          ...operations.map((operation) => operation.output),
          ProblemObject,
          ...(paid ? [PaymentRequiredObject] : []),
        ]),
        'output',
      ),
      type: 'object',
    },
    annotations: {
      readOnlyHint: operations.every((operation) => operation.effect === 'read'),
      // A repeat has no second effect, by its key or because its state answers, but where the operation says otherwise.
      idempotentHint: !operations.some((operation) => operation.repeatsByKeyOnly),
      destructiveHint: operations.some((operation) => operation.effect === 'money' || operation.destroys),
      openWorldHint: operations.some((operation) => operation.effect === 'money'),
    },
  };
}

/** Path keys and body, flat. Nothing but properties at the root: model vendors refuse combinators there. */
function inputSchema(operations: readonly ToolOperation[]): Tool['inputSchema'] {
  const [first, ...others] = operations.map((operation) => jsonSchema(argumentsOf(operation), 'input'));
  if (others.length === 0) return { ...first, type: 'object' };
  const properties = Object.assign({}, first?.properties, ...others.map((schema) => schema.properties));
  const names = Object.keys(properties);
  return {
    type: 'object',
    description: `Takes exactly one of ${names.join(' and ')}.`,
    properties,
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  };
}

function argumentsOf(operation: Operation): z.ZodType {
  const { shape } = operation.input as z.ZodObject;
  if (operation.idempotency === 'none') return z.strictObject(shape);
  const key = z.string().min(1).max(maxKeyLength).meta({
    description:
      'Choose one for each new request and save it with the request. A repeat with the same key has no second effect.',
  });
  return z.strictObject({ ...shape, idempotency_key: operation.idempotency === 'required' ? key : key.optional() });
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...derived } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema: node }) {
      // The format says it in one word; its pattern would be most of what a model has to read.
      if (node.format === 'date-time') delete node.pattern;
      // Some clients refuse a tool over an array that does not say what it holds.
      if (Array.isArray(node.type) && node.type.includes('array')) node.items ??= {};
    },
  });
  return derived;
}

// Parameters of endpoints: schemas of form values, checked against stripe-node's types, with Stripe's error messages.
import { z } from 'zod';
import { invalidParameter, type StripeFault } from './errors.ts';
import type { FormValue } from './form.ts';

const TEXT_MAX = 5_000;
const METADATA_KEYS_MAX = 50;
const METADATA_KEY_MAX = 40;
const METADATA_VALUE_MAX = 500;
const LIMIT_MAX = 100;

export const optional = z.exactOptional;
export const text = z.string().min(1).max(TEXT_MAX);
export const wholeNumber = z
  .string()
  .regex(/^-?\d{1,15}$/, 'Invalid integer')
  .transform(Number);
export const positive = wholeNumber.refine((number) => number >= 1, 'This value must be greater than or equal to 1.');
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true');
export const currency = z
  .string()
  .transform((code) => code.toLowerCase())
  .refine((code) => code === 'usd', 'Invalid currency: the sandbox only knows usd.');
export const webAddress = z
  .string()
  .max(TEXT_MAX)
  .regex(/^https?:\/\//, 'Not a valid URL');
export const expand = optional(z.array(text));
export const metadata = z
  .record(z.string().max(METADATA_KEY_MAX), z.string().max(METADATA_VALUE_MAX))
  .refine((fields) => Object.keys(fields).length <= METADATA_KEYS_MAX, `At most ${METADATA_KEYS_MAX} keys.`);

const moment = wholeNumber;
const created = optional(
  z.union([
    moment,
    z.strictObject({ gt: optional(moment), gte: optional(moment), lt: optional(moment), lte: optional(moment) }),
  ]),
);
const limit = wholeNumber.refine((count) => count >= 1 && count <= LIMIT_MAX, `Must be from 1 to ${LIMIT_MAX}.`);

/** The parameters of every list. */
export const paging = {
  limit: optional(limit),
  starting_after: optional(text),
  ending_before: optional(text),
  expand,
};
/** Further parameters of lists of events in time. */
export const pagingByTime = { ...paging, created };

type KeyOf<T> = T extends object ? keyof T : never;
type FieldOf<T, Key> = T extends unknown ? (Key extends keyof T ? NonNullable<T[Key]> : never) : never;
/** The names in `Given` that `Known` lacks, at any depth. */
type Surplus<Given, Known> = Given extends readonly (infer Item)[]
  ? Surplus<Item, Known extends readonly (infer KnownItem)[] ? KnownItem : never>
  : Given extends object
    ? {
        [Key in keyof Given]-?: Key extends KeyOf<Known> ? Surplus<NonNullable<Given[Key]>, FieldOf<Known, Key>> : Key;
      }[keyof Given]
    : never;
type Accepted<Schema extends z.ZodType, Params> = [Surplus<z.output<Schema>, Params>] extends [never]
  ? z.output<Schema> extends Params
    ? unknown
    : 'Its values do not fit the parameters of stripe-node.'
  : Surplus<z.output<Schema>, Params>;

/** The schema of an endpoint's parameters. Compiles only if it matches stripe-node's `Params`. */
export function accepts<Params>() {
  return <Shape extends z.ZodRawShape>(
    shape: Shape & Accepted<z.ZodObject<Shape, z.core.$strict>, Params>,
  ): z.ZodObject<Shape, z.core.$strict> => z.strictObject(shape);
}

/** Reads a request's parameters. Throws Stripe's error for an unknown, missing or unreadable one. */
export function readParameters<Schema extends z.ZodType>(schema: Schema, given: FormValue): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error.issues, given);
}

function refusalOf(issues: readonly z.core.$ZodIssue[], given: FormValue): StripeFault {
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => nameOf([...issue.path, key])) : [],
  );
  if (unknown[0]) {
    const words = unknown.length === 1 ? 'parameter' : 'parameters';
    return invalidParameter(`Received unknown ${words}: ${unknown.join(', ')}`, unknown[0], 'parameter_unknown');
  }
  const [issue] = issues;
  if (!issue) throw new Error('A refusal needs an issue.');
  const param = nameOf(issue.path);
  const value = valueAt(given, issue.path);
  if (value === undefined) return invalidParameter(`Missing required param: ${param}.`, param, 'parameter_missing');
  if (value === '') {
    const message = `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`;
    return invalidParameter(message, param, 'parameter_invalid_empty');
  }
  if (issue.code === 'invalid_value') {
    return invalidParameter(`Invalid ${param}: must be one of ${issue.values.join(', ')}`, param);
  }
  if (issue.message === 'Invalid integer') {
    return invalidParameter(`Invalid integer: ${String(value)}`, param, 'parameter_invalid_integer');
  }
  return invalidParameter(`Invalid ${param}: ${issue.message}`, param);
}

function nameOf([first, ...rest]: readonly PropertyKey[]): string {
  return [String(first), ...rest.map((part) => `[${String(part)}]`)].join('');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner !== null && typeof inner === 'object' ? Reflect.get(inner, name) : undefined),
    value,
  );
}

import fc from 'fast-check';
import { z } from 'zod';
import type { Operation } from '../../server/operation/operation.ts';
import { type Change, changes, headers, oddBody, valuesOf } from './hostile.ts';

/** Who sends a request: the intended caller or somebody else. */
export type CallerKind = 'entitled' | 'stranger' | 'nobody' | 'garbage';

/** One request, before real keys are put into it. */
export interface Idea {
  /** Selects its subject by number. */
  about: number;
  /** Null for the headers of an honest client. */
  fields: Record<string, unknown> | null;
  /** Changes to the fields. */
  changes: Change[];
  /** Changes to the signed payload; null if it has none. */
  payment: Change[] | null;
  caller: CallerKind;
  key: string | null;
  headers: Record<string, string>;
  /** Replaces the JSON of the fields. */
  body: Uint8Array | null;
  method: string | null;
  /** Appended to the path. */
  suffix: string;
  query: string;
}

const honest: Omit<Idea, 'about'> = {
  fields: null,
  changes: [],
  payment: null,
  caller: 'entitled',
  key: 'fresh',
  headers: {},
  body: null,
  method: null,
  suffix: '',
  query: '',
};

/** Requests of an operation with at most two things wrong: more would only hide what lies behind the first. */
export function ideasFor(operation: Operation): fc.Arbitrary<Idea> {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  const values = valuesOf(schema) as fc.Arbitrary<Record<string, unknown>>;
  const oddity: fc.Arbitrary<Partial<Idea>> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ fields: values }) },
    { weight: 8, arbitrary: fc.record({ changes }) },
    { weight: operation.paid ? 8 : 1, arbitrary: fc.record({ payment: changes }) },
    { weight: 3, arbitrary: fc.record({ headers }) },
    { weight: 2, arbitrary: fc.record({ key: fc.constantFrom(null, 'one', 'two', '', 'x'.repeat(256)) }) },
    fc.record({ caller: fc.constantFrom<CallerKind>('stranger', 'nobody', 'garbage') }),
    fc.record({ body: oddBody }),
    fc.record({ method: fc.constantFrom(...methods) }),
    fc.record({ suffix: fc.constantFrom('/', '%2f', '%00', '%ff', '%', ';a=b', '//', '/..', '/%2e%2e', '\\') }),
    fc.record({
      query: fc.constantFrom('?', '?%', '?a=b&a=c', '?limit=-1', '?%00=%ff', '?__proto__=a', `?${'a'.repeat(2_000)}`),
    }),
  );
  return fc
    .tuple(fc.nat(1_000), fc.array(oddity, { maxLength: 2 }))
    .map(([about, oddities]) => Object.assign({ about }, honest, ...oddities));
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

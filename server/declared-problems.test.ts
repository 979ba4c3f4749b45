import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { callGraph } from '../e2e/support/call-graph.ts';
import { doorProblems, type Operation } from './operation/operation.ts';
import { allOperations, operations as published } from './operations.ts';
import { problems } from './problems/catalogue.ts';

/**
 * An operation refuses with exactly the codes it declares: an undeclared one would become a 500. Follows the calls of
 * each verb and schema without running them.
 */
const root = path.resolve(import.meta.dirname, '..');
const operations = Object.entries(allOperations) as [string, Operation][];

/** Refusals of the door itself, not of a verb (`perform.ts`). */
function codesOfDoor(operation: Operation): string[] {
  return [
    ...doorProblems(operation),
    // Any operation may find the database gone.
    'service_unavailable',
    ...(operation.audience.includes('public') ? [] : ['invalid_token']),
    ...(operation.idempotency === 'required' ? ['idempotency_key_required'] : []),
    ...(operation.idempotency === 'none' ? [] : ['idempotency_in_progress', 'idempotency_key_conflict']),
    ...(operation.secret && operation.idempotency !== 'none' ? ['credential_already_released'] : []),
  ];
}

/** The list in `operations.ts` that contains an operation. */
const listOf = (name: string) => (Object.hasOwn(published, name) ? 'operations' : 'operatorOperations');

/** The codes that an operation's verb and schema can refuse with, each with the function that does. */
function codesOf(graph: ReturnType<typeof callGraph>, name: string): Map<string, string> {
  const made = (reached: ReadonlySet<string>, maker: 'Problem' | 'addIssue') =>
    [...reached].flatMap((by) => graph.codesOf(by, maker).map((code): [string, string] => [code, by]));
  return new Map([
    ...made(graph.fromMember('server/verbs.ts', 'verbs', name), 'Problem'),
    // A schema's issue becomes a problem of the same code, if there is one.
    ...made(graph.fromMember('server/operations.ts', listOf(name), name), 'addIssue').filter(([code]) =>
      Object.hasOwn(problems, code),
    ),
  ]);
}

/** Codes that the calls could lead to, but a verb's arguments rule out, with the reason. */
const ruledOut = new Map([
  ['pay_by_link card_declined', 'It pays over x402 alone.'],
  ['buy_check card_declined', 'It pays over x402 alone.'],
  ['buy_check approval_required', 'It cannot ask: the refusal names the grant.'],
  ['buy_check approval_declined', 'Nobody was asked about its quote.'],
  ['buy_check not_found', 'It reads only what it made.'],
  ['buy_check quote_expired', 'Its quote is a moment old.'],
  ['buy_check terms_version_mismatch', 'It accepts the current terms itself.'],
  ['service_contract unsupported_work_kind', 'A request stands in its answer, not in what it is sent.'],
]);

/** The codes that an operation uses undeclared, and those it declares unused. */
function differences(graph: ReturnType<typeof callGraph>, name: string, operation: Operation): string[] {
  const made = codesOf(graph, name);
  const door = codesOfDoor(operation);
  const known = new Set<string>([...operation.problems, ...door]);
  return [
    ...[...made]
      .filter(([code]) => !known.has(code) && !ruledOut.has(`${name} ${code}`))
      .map(([code, by]) => `${name} refuses with ${code} in ${by}`),
    ...operation.problems
      .filter((code) => !made.has(code) && !door.includes(code))
      .map((code) => `${name} declares ${code} and never refuses with it`),
  ];
}

describe('each operation', () => {
  it('declares what its verb and its schema refuse with, and nothing else', () => {
    const graph = callGraph(root);
    expect(operations.flatMap(([name, operation]) => differences(graph, name, operation))).toEqual([]);
  });

  it.each([
    [
      'in its verb',
      'server/sources/sources.ts',
      [/new Problem\('source_limit_reached'/, "new Problem('quote_expired'"],
      'add_source refuses with quote_expired in server/sources/sources.ts#addSource',
    ],
    [
      'in a function that its verb calls in another file',
      'server/identity/silence.ts',
      [/return lifted\.length > 0;/, "if (!lifted[0]) throw new Problem(now ? 'quote_expired' : 'not_found', '');"],
      'lift_silence refuses with quote_expired in server/identity/silence.ts#liftSilence',
    ],
    [
      'in its schema',
      'server/work-check/input-fields.ts',
      [/'forbidden_character', fault/, "'quote_expired', fault"],
      'add_source refuses with quote_expired in server/work-check/input-fields.ts#text',
    ],
  ] as const)('is caught refusing %s with what it does not declare', (_, file, [place, planted], found) => {
    const graph = callGraph(root, (name) => {
      const text = readFileSync(path.join(root, name), 'utf8');
      return name === file ? text.replace(place, planted) : text;
    });
    expect(operations.flatMap(([name, operation]) => differences(graph, name, operation))).toContain(found);
  });

  it('is caught declaring what it never refuses with', () => {
    const declaring: Operation = { ...allOperations.me, problems: [...allOperations.me.problems, 'quote_expired'] };
    expect(differences(callGraph(root), 'me', declaring)).toEqual([
      'me declares quote_expired and never refuses with it',
    ]);
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { callGraph } from '../e2e/support/call-graph.ts';
import { doorProblems, type Operation } from './door/operation.ts';
import { allOperations, operations as published } from './operations.ts';
import { problems } from './problems.ts';

/**
 * What an operation declares is what it refuses with: an undeclared code would leave as a 500. Followed through the calls
 * of each verb and each schema, without running them.
 */
const root = path.resolve(import.meta.dirname, '..');
const operations = Object.entries(allOperations) as [string, Operation][];

/** Refusals of the door itself, which no verb makes (`perform.ts`). */
function codesOfDoor(operation: Operation): string[] {
  return [
    ...doorProblems(operation),
    // Whatever reads the database can find it gone.
    'service_unavailable',
    ...(operation.audience.includes('public') ? [] : ['invalid_token']),
    ...(operation.idempotency === 'required' ? ['idempotency_key_required'] : []),
    ...(operation.idempotency === 'none' ? [] : ['idempotency_in_progress', 'idempotency_key_conflict']),
    ...(operation.secret && operation.idempotency !== 'none' ? ['credential_already_released'] : []),
  ];
}

/** Where `operations.ts` lists an operation. */
const listOf = (name: string) => (Object.hasOwn(published, name) ? 'operations' : 'operatorOperations');

/** The codes that verb and schema of an operation can refuse with, each with a declaration that does. */
function codesOf(graph: ReturnType<typeof callGraph>, name: string): Map<string, string> {
  const made = (reached: ReadonlySet<string>, maker: 'Problem' | 'addIssue') =>
    [...reached].flatMap((by) => graph.codesOf(by, maker).map((code): [string, string] => [code, by]));
  return new Map([
    ...made(graph.fromMember('server/verbs.ts', 'verbs', name), 'Problem'),
    // An issue of a schema leaves under its own code where that is a problem.
    ...made(graph.fromMember('server/operations.ts', listOf(name), name), 'addIssue').filter(([code]) =>
      Object.hasOwn(problems, code),
    ),
  ]);
}

/** What the calls of a verb lead to, and what it asks for rules out, with why. */
const ruledOut = new Map([['pay_by_link card_declined', 'It pays over x402 alone.']]);

/** What an operation refuses with and does not declare, and what it declares and never refuses with. */
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

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Operation, problemsOf } from '../server/operation/operation.ts';
import { operations } from '../server/operations.ts';

/** Where tests record the problems they provoke, as `["operation code", …]`, one file per test file. */
export const provokedFolder = path.resolve(import.meta.dirname, '../.data/test-results/provoked');

/** Deletes the records of earlier runs. */
export function forgetProvoked(): void {
  rmSync(provokedFolder, { recursive: true, force: true });
}

/**
 * The problems that operations declare and no test of the last run provoked, as `"operation code"`. Without `internal`:
 * it means a bug, and no test can provoke one for each operation.
 */
export function unprovokedProblems(): string[] {
  const seen = new Set<string>();
  for (const file of existsSync(provokedFolder) ? readdirSync(provokedFolder) : []) {
    for (const pair of JSON.parse(readFileSync(path.join(provokedFolder, file), 'utf8'))) seen.add(pair);
  }
  return Object.values(operations)
    .flatMap((operation: Operation) => problemsOf(operation).map((code) => ({ operation: operation.name, code })))
    .filter(({ code }) => code !== 'internal')
    .map(({ operation, code }) => `${operation} ${code}`)
    .filter((pair) => !seen.has(pair));
}

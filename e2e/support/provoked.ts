import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { provokedFolder } from '../../commands/provoked-problems.ts';
import { operations } from '../../server/operations.ts';
import { pathPattern } from './path-pattern.ts';

const routes = Object.values(operations).map((operation) => ({
  name: operation.name,
  pattern: pathPattern(operation),
}));

/** The problems that one service's operations answered, for the step of `npm test` that finds missing ones. */
export class ProvokedProblems {
  readonly #seen = new Set<string>();

  /** Records an answer. `method_not_allowed` belongs to every operation at the address. */
  note(method: string, address: string, text: string): void {
    const code = codeOf(text);
    if (code === null) return;
    const pathname = address.split('?', 1)[0] ?? '';
    for (const { name, pattern } of routes) {
      if (!pattern.test(pathname)) continue;
      if (operations[name].method === method || code === 'method_not_allowed') this.#seen.add(`${name} ${code}`);
    }
  }

  /** Writes down what was seen, next to the records of other test files. */
  save(): void {
    mkdirSync(provokedFolder, { recursive: true });
    writeFileSync(path.join(provokedFolder, `${randomUUID()}.json`), JSON.stringify([...this.#seen]));
  }
}

function codeOf(text: string): string | null {
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

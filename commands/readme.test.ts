import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const textOf = (file: string) => readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

it('README.md names every command of package.json, and no other', () => {
  const named = textOf('README.md').matchAll(/npm (?:run ([a-z][\w:-]*)|(start|test)\b)/g);
  const commands = new Set([...named].map(([, run, own]) => run ?? own ?? ''));
  expect([...commands].toSorted()).toEqual(Object.keys(scripts).toSorted());
});

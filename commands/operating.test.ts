import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
const operating = textOf('docs/operating.md');

/** What a pattern finds in a text, each once. */
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];
const namesIn = (folder: string) => readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });

describe('docs/operating.md', () => {
  it('names commands, files, variables and tables that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const commands = found(operating, /npm run ([a-z][\w:-]*)/g);
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const files = found(operating, /\b((?:server|e2e|commands|bench|docs)\/[\w./-]+\.\w+)/g);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const variables = found(operating, /`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g);
    expect(variables.length).toBeGreaterThan(20);
    const known = textOf('.env.example');
    expect(variables.filter((name) => !known.includes(name))).toEqual([]);
    const schema = textOf('prisma/schema.prisma');
    const tables = found(operating, /`(\w+(?:_rows|_transfers|_claims|_seals|_texts|_differences))`/g);
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.filter((name) => !schema.includes(`@@map("${name}")`))).toEqual([]);
  });

  it('leads to pages of the console that are there', () => {
    const pages = namesIn('app/console')
      .filter((file) => file.endsWith('page.tsx'))
      .map((file) => path.posix.join('/console', path.posix.dirname(file)));
    const named = found(operating, /`(\/console[\w/]*)`/g);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !pages.includes(name))).toEqual([]);
  });

  it('links to sections of its own that are there', () => {
    const anchors = found(operating, /^#{2,4} (.+)$/gm).map((title) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = found(operating, /\]\(#([\w-]+)\)/g);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  });
});

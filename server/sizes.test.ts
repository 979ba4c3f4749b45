import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

/**
 * Functions have at most 70 lines, 15 branches and 4 parameters; a switch over kinds is a table and one branch. A file over
 * 300 gives its reason in one line at its top.
 */
const FUNCTION_LINES = 70;
const BRANCHES = 15;
const PARAMETERS = 4;
const FILE_LINES = 300;
const REASON = /^(\/\/|--|\/\*) Longer than 300 lines: \S.*\.( \*\/)?$/;

const root = path.resolve(import.meta.dirname, '..');

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

const branchTypes = [
  'IfStatement',
  'ConditionalExpression',
  'LogicalExpression',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'CatchClause',
];

interface Found {
  line: number;
  lines: number;
  /** Those of functions within are their own. */
  branches: number;
  parameters: number;
}

/** The functions in a text. */
function functionsOf(file: string, text: string): Found[] {
  const found: Found[] = [];
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const visit = (node: Node, within: Found | null): void => {
    let own = within;
    if (functionTypes.includes(node.type)) {
      const line = lineOf(node.start);
      const parameters = (node.params as unknown[]).length;
      own = { line, lines: lineOf(node.end) - line + 1, branches: 0, parameters };
      found.push(own);
    }
    if (own && branchTypes.includes(node.type)) own.branches += 1;
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, own);
    }
  };
  visit(parseSync(file, text).program as unknown as Node, null);
  return found;
}

/** The oversized parts of a file. */
function tooLong(file: string, text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const whole = lines.length > FILE_LINES && !REASON.test(lines[0] ?? '') ? [`${file} has ${lines.length} lines`] : [];
  const functions = /\.tsx?$/.test(file) ? functionsOf(file, text) : [];
  const long = functions
    .filter((found) => found.lines > FUNCTION_LINES)
    .map(({ line, lines }) => `${file}:${line} is a function of ${lines} lines`);
  const branching = functions
    .filter((found) => found.branches > BRANCHES)
    .map(({ line, branches }) => `${file}:${line} is a function of ${branches} branches`);
  const many = functions
    .filter((found) => found.parameters > PARAMETERS)
    .map(({ line, parameters }) => `${file}:${line} is a function of ${parameters} parameters`);
  return [...whole, ...long, ...branching, ...many];
}

/** Test files and their functions may have any length. */
const isTest = (file: string) => /(\.(test|e2e|deep)|-trial)\.tsx?$/.test(file);

const sources = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.sql', '*.css', '*.prisma'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && !isTest(file) && existsSync(path.join(root, file)));

describe('what one reads at once', () => {
  it('is short', () => {
    expect(sources.length).toBeGreaterThan(400);
    expect(sources.flatMap((file) => tooLong(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  });

  const lines = (count: number) => 'a();\n'.repeat(count);
  it.each([
    ['a long function', `function f() {\n${lines(69)}}`, ['a.ts:1 is a function of 71 lines']],
    [
      'a function with many branches, but not those of a function within',
      `function f() {\n${'if (a) b();\n'.repeat(16)}g(() => a && b);\n}`,
      ['a.ts:1 is a function of 16 branches'],
    ],
    [
      'a function with many parameters',
      'const f = (a, b, { c }, d = 1, ...e) => a;',
      ['a.ts:1 is a function of 5 parameters'],
    ],
    ['a method at the bound of parameters', 'class A { f(a, b, c, d) {} }', []],
    ['a switch over many kinds', `function f() {\nswitch (a) {\n${'case 1: b();\n'.repeat(20)}}\n}`, []],
    [
      'a long arrow within another',
      `const f = () => {\n  () => {\n${lines(69)}}};`,
      ['a.ts:1 is a function of 72 lines', 'a.ts:2 is a function of 71 lines'],
    ],
    ['a function at the bound', `function f() {\n${lines(68)}}`, []],
    ['a long file', lines(301), ['a.ts has 301 lines']],
    ['a long file with its reason', `// Longer than 300 lines: one table, read as a whole.\n${lines(301)}`, []],
    ['a file at the bound', lines(300), []],
  ])('is judged: %s', (_, text, expected) => {
    expect(tooLong('a.ts', text)).toEqual(expected);
  });
});

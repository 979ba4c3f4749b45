import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Changes that must not compile, planted in a copy of the server and compiled together. Each names its expected errors.
 */
interface Complaint {
  file: string;
  message: string;
}

interface Planted {
  change: string;
  /** The replacements, by file. */
  edits: readonly (readonly [file: string, found: string, planted: string])[];
  complaints: readonly (readonly [file: string, message: RegExp])[];
}

/** Compiled together: the errors of one do not hide those of another in its group. */
const groups: readonly (readonly Planted[])[] = [
  [
    {
      change: 'a kind of caller that no switch has decided about',
      edits: [
        [
          'server/operation/caller.ts',
          'export type Caller = Customer | Operator | Anonymous;',
          "export type Caller = Customer | Operator | Anonymous | { kind: 'auditor' };",
        ],
      ],
      complaints: [
        ['server/operation/caller.ts', /Property 'auditor' is missing in type .* but required in type 'Record</],
        ['server/operation/caller.ts', /Function lacks ending return statement/],
        ['server/identity/authenticate.ts', /Function lacks ending return statement/],
      ],
    },
    {
      change: 'an operation without a verb',
      edits: [['server/operations.ts', '  me: identity.me,', '  me: identity.me,\n  planted: identity.me,']],
      complaints: [['server/verbs.ts', /missing the following properties .*: planted, /]],
    },
    {
      change: 'an operation of operators among those that are published',
      edits: [
        ['server/operations.ts', '  jobs: lists.jobs,', '  jobs: lists.jobs,\n  planted_switch: overview.turnSwitch,'],
      ],
      complaints: [['server/operations.ts', /"operator"/]],
    },
  ],
  [
    {
      change: 'a kind of customer whose purchases nobody has told from others',
      edits: [
        [
          'server/operation/caller.ts',
          'export type Customer = Buyer | Member;',
          "export type Customer = Buyer | Member | { kind: 'observer'; accountKey: string };",
        ],
      ],
      complaints: [['server/operation/caller.ts', /Function lacks ending return statement/]],
    },
    {
      change: 'a rail that nobody has words for',
      edits: [
        [
          'server/payments/contract.ts',
          "export const railNames = ['card', 'x402'] as const;",
          "export const railNames = ['card', 'x402', 'voucher'] as const;",
        ],
      ],
      complaints: [
        [
          'server/availability/availability.ts',
          /Property 'voucher' is missing in type .* but required in type 'Readonly</,
        ],
        ['server/payments/contract.ts', /Property 'voucher' is missing in type .* but required in type 'Readonly</],
      ],
    },
  ],
];

/** For busy machines; not a promise. */
const compileMs = 180_000;

const root = path.resolve(import.meta.dirname, '..');
const copies: string[] = [];

/** Compiles a copy of the server with the edits. Resolves to the compiler's errors. */
async function compiled(edits: Planted['edits']): Promise<Complaint[]> {
  mkdirSync(path.join(root, '.data'), { recursive: true });
  const copy = mkdtempSync(path.join(root, '.data', 'planted-'));
  copies.push(copy);
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((name) => /\.(ts|json)$/.test(name) && !/\.test\.ts$/.test(name))) {
    if (existsSync(path.join(root, file))) cpSync(path.join(root, file), path.join(copy, file));
  }
  symlinkSync(path.join(root, 'server/generated'), path.join(copy, 'server/generated'));
  for (const [file, found, replacement] of edits) {
    const text = readFileSync(path.join(copy, file), 'utf8');
    if (!text.includes(found)) throw new Error(`${file} no longer says ${found}`);
    writeFileSync(path.join(copy, file), text.replace(found, replacement));
  }
  const settings = {
    extends: '../../tsconfig.json',
    compilerOptions: { incremental: false },
    include: ['server/door/perform.ts'],
    exclude: [],
  };
  writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify(settings));
  const said = await promisify(execFile)(path.join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false', '-p', copy], {
    cwd: copy,
  }).then(
    () => '',
    (error: { stdout?: string }) => {
      if (!error.stdout) throw error;
      return error.stdout;
    },
  );
  return said
    .split(/\n(?=\S)/)
    .filter(Boolean)
    .map((text) => {
      const [, file, message] = /^(\S+)\(\d+,\d+\): error TS\d+: (.*)$/s.exec(text) ?? [];
      if (!file || !message) throw new Error(`the compiler says: ${text}`);
      return { file, message };
    });
}

afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

describe.each(groups)('what must not compile', (...planted) => {
  let said: Complaint[];
  beforeAll(async () => {
    said = await compiled(planted.flatMap(({ edits }) => edits));
  }, compileMs);

  it.each(planted)('is $change', ({ complaints }) => {
    for (const [file, message] of complaints) {
      const ofFile = said.filter((one) => one.file === file).map((one) => one.message);
      expect(ofFile).toContainEqual(expect.stringMatching(message));
    }
  });
});

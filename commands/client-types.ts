/**
 * The declarations of the client's package. Its contract is written out in plain TypeScript by the compiler, so that
 * they need no other package.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { operations } from '../server/operations.ts';

const root = path.resolve(import.meta.dirname, '..');
/** The client's own declarations; `index.d.ts` leads to all others. */
const files = ['index', 'buyer', 'kept', 'transport', 'verify-receipt', 'verify/verify', 'verify/links'];

/** Writes them to `folder`. Throws when one would need another package. */
export function writeClientTypes(folder: string): void {
  const made = mkdtempSync(path.join(tmpdir(), 'types-'));
  try {
    const spread = path.join(made, 'contract.ts');
    writeFileSync(spread, contractToSpread());
    const out = path.join(made, 'out');
    compile(made, [spread, path.join(root, 'client/index.ts')], out);
    const declared = (file: string) => readFileSync(path.join(out, file.replace(/\.ts$/, '.d.ts')), 'utf8');
    writeTo(folder, 'contract', plainContract(declared(spread)));
    for (const name of files) writeTo(folder, name, declared(path.join(root, 'client', `${name}.ts`)));
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** A module whose types the compiler has to infer: it writes them out, where it would keep a name. */
function contractToSpread(): string {
  const members = Object.keys(operations).map(
    (name) => `  ${name}: { input: input('${name}'), output: output('${name}') },`,
  );
  return [
    `import type * as c from '${path.join(root, 'client/contract.ts')}';`,
    'declare function input<Name extends c.OperationName>(name: Name): c.InputOf<Name>;',
    'declare function output<Name extends c.OperationName>(name: Name): c.OutputOf<Name>;',
    'declare function membersOf<Whole>(): { [Name in keyof Whole]: Whole[Name] };',
    `export const operations = {\n${members.join('\n')}\n};`,
    'export const request = membersOf<c.CheckRequest>();',
    'export const bundle = membersOf<c.Bundle>();',
  ].join('\n');
}

function compile(folder: string, entries: readonly string[], outDir: string): void {
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    removeComments: false,
    // Entries stand in two folders.
    rootDir: '/',
    outDir,
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    plugins: [],
  };
  const config = { extends: path.join(root, 'tsconfig.json'), compilerOptions, files: entries, include: [] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  execFileSync(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    stdio: 'inherit',
  });
}

/** The contract under the names of `client/contract.ts`. */
function plainContract(declared: string): string {
  return `${declared.replaceAll('export declare const', 'declare const').replaceAll(/import\("[^"]*\/json-value(?:\.ts)?"\)\./g, '')}
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** What each operation takes and answers, by its name in the OpenAPI document. */
type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Operations[Name]['input'];
export type OutputOf<Name extends OperationName> = Operations[Name]['output'];

/** The work to check, what was asked for, and the evidence. */
export type CheckRequest = typeof request;
/** A purchase as its buyer keeps it. */
export type Bundle = typeof bundle;

/** Signs in and pays; an account of viem is one. */
export interface Wallet {
  readonly address: \`0x\${string}\`;
  signMessage(given: { message: string }): Promise<\`0x\${string}\`>;
  // biome-ignore lint/suspicious/noExplicitAny: typed data of any kind.
  signTypedData(data: any): Promise<\`0x\${string}\`>;
}

/** A public key (RFC 7517). */
export interface PublicKey {
  kty?: string;
  kid?: string;
  alg?: string;
  crv?: string;
  x?: string;
  [member: string]: unknown;
}
`;
}

function writeTo(folder: string, name: string, text: string): void {
  const written = text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'");
  const foreign = /from '(?!\.)[^']*'|import\([^)]*\)/.exec(written);
  if (foreign) throw new Error(`${name}.d.ts needs ${foreign[0]}`);
  const file = path.join(folder, `${name}.d.ts`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, written);
}

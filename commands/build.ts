import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './command.ts';
import { packVerifier, verifierFolder } from './pack-verifier.ts';
import { generateClient } from './prisma.ts';
import { printLine, runProgram, runProgramQuietly } from './processes.ts';
import { Refusal } from './refusal.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Digest of the sources that `.next` was built from. Written last: an unfinished build has none. */
const STAMP = path.join(ROOT, '.next', 'built-from');
const SOURCES = [
  '{app,client,components,prisma,public,server}/**',
  '*.{config.ts,config.mjs}',
  'proxy.ts',
  'package-lock.json',
];
const production = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const;
/** Tests, and what the build itself puts in `public`. */
const NOT_BUILT = /\.(test|e2e|deep)\.tsx?$|^public\/verify\//;

/** Builds the app for production unless `.next` is up to date; returns whether it did. Shows the output on failure. */
export async function buildApp(): Promise<boolean> {
  const sources = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return false;
  printLine('build', 'the app, for production: this takes a minute or two');
  await packVerifier(verifierFolder);
  const { ending, output } = await runProgramQuietly('next', ['build'], production);
  if (ending !== 0) throw new Refusal(`The app could not be built:\n${output}`);
  writeFileSync(STAMP, sources);
  return true;
}

/** Writes the types of the routes. */
export function generateRouteTypes(): Promise<number | NodeJS.Signals> {
  return runProgram('next', ['typegen'], production);
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    const absolute = path.join(ROOT, file);
    if (NOT_BUILT.test(file) || !statSync(absolute).isFile()) continue;
    hash.update(file).update('\0').update(readFileSync(absolute)).update('\0');
  }
  return hash.digest('hex');
}

if (import.meta.main) {
  await runCommand(async () => {
    await generateClient();
    console.log((await buildApp()) ? 'Built.' : 'The last build is of these sources; nothing to do.');
    return 0;
  });
}

/**
 * `npm test`: all checks, the fastest to fail first; stops at the first step that fails. `npm test -- unit e2e` runs
 * only those steps. Prints the slowest files; the last line is always `N passed, N failed`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { styleText } from 'node:util';
import { buildApp, generateRouteTypes } from './build.ts';
import { runCommand } from './command.ts';
import { generateClient } from './prisma.ts';
import { runProgram } from './processes.ts';
import { forgetProvoked, unprovokedProblems } from './provoked-problems.ts';
import { Refusal } from './refusal.ts';
import type { Results } from './test-results.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const RESULTS = path.join(ROOT, '.data', 'test-results');
const REPORTER = path.join(import.meta.dirname, 'test-results.ts');
const SLOWEST_SHOWN = 10;

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const NOTHING: Counts = { passed: 0, failed: 0 };
/** A step that counts no tests and failed. */
const BROKEN: Counts = { passed: 0, failed: 1 };
/** How long each test file took, in seconds. */
const secondsOf = new Map<string, number>();

const steps: Record<string, () => Promise<Counts>> = {
  types: async () => {
    await generateClient();
    // Types the routes, and writes the declarations that a fresh clone lacks.
    if ((await generateRouteTypes()) !== 0) return BROKEN;
    return runTool('tsc', ['--noEmit']);
  },
  lint: async () => {
    const style = await runTool('biome', ['check', '--error-on-warnings']);
    return style.failed > 0 ? style : runTool('knip', []);
  },
  unit: () => runTests('unit'),
  integration: () => {
    forgetProvoked();
    return runTests('integration');
  },
  problems: async () => {
    const missing = unprovokedProblems();
    for (const pair of missing) console.error(`No test provokes this declared problem of an operation: ${pair}`);
    return missing.length === 0 ? { passed: 1, failed: 0 } : BROKEN;
  },
  build: async () => {
    await generateClient();
    console.log((await buildApp()) ? 'Built.' : 'The last build is of these sources.');
    return NOTHING;
  },
  e2e: () => runTests('e2e'),
};
/** Long trials, only by name: `npm run test:deep`. */
const onRequest: typeof steps = { deep: () => runTests('deep') };

await runCommand(async () => {
  const chosen = chooseSteps(process.argv.slice(2));
  let total = NOTHING;
  for (const [name, step] of chosen) {
    const counts = await runStep(name, step);
    total = { passed: total.passed + counts.passed, failed: total.failed + counts.failed };
    if (total.failed > 0) break;
  }
  printSlowest();
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
});

function chooseSteps(names: readonly string[]): [string, () => Promise<Counts>][] {
  if (names.length === 0) return Object.entries(steps);
  const known = { ...steps, ...onRequest };
  return names.map((name) => {
    const step = known[name];
    if (step === undefined)
      throw new Refusal(`There is no step "${name}"; the steps are ${Object.keys(known).join(', ')}.`);
    return [name, step];
  });
}

async function runStep(name: string, step: () => Promise<Counts>): Promise<Counts> {
  console.log(styleText('bold', `\n── ${name} ──`));
  const startedAt = performance.now();
  const counts = await step().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    return BROKEN;
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const mark = counts.failed === 0 ? styleText('green', '✓') : styleText('red', '✗');
  console.log(`${mark} ${name} (${seconds} s)`);
  return counts;
}

async function runTool(name: string, args: readonly string[]): Promise<Counts> {
  return (await runProgram(name, args)) === 0 ? NOTHING : BROKEN;
}

/** Runs one project of vitest.config.ts. A skipped test counts as failed: nobody checks its promise. */
async function runTests(project: string): Promise<Counts> {
  const file = path.join(RESULTS, `${project}.json`);
  mkdirSync(RESULTS, { recursive: true });
  rmSync(file, { force: true });
  const args = ['run', '--project', project, '--reporter=default', `--reporter=${REPORTER}`];
  const how = await runProgram('vitest', args, { ...process.env, TEST_RESULTS: file });
  if (!existsSync(file)) return BROKEN;
  const { passed, failed, skipped, seconds }: Results = JSON.parse(readFileSync(file, 'utf8'));
  for (const [name, taken] of Object.entries(seconds)) secondsOf.set(name, taken);
  if (skipped > 0) console.error(`${skipped} tests of ${project} were skipped, which counts as failed.`);
  // A file that fails to load, or an error outside of tests, fails the run without a failed test.
  return { passed, failed: failed + skipped === 0 && how !== 0 ? 1 : failed + skipped };
}

function printSlowest(): void {
  const slowest = [...secondsOf].sort(([, one], [, other]) => other - one).slice(0, SLOWEST_SHOWN);
  if (slowest.length === 0) return;
  console.log(styleText('bold', `\nThe ${slowest.length} slowest of ${secondsOf.size} test files`));
  for (const [name, seconds] of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

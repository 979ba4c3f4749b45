import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** What came of one project's tests. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  /** Skipped, or left to do. */
  readonly skipped: number;
  /** How long each file took, in seconds: what it loads and starts, its tests, its hooks. */
  readonly seconds: Readonly<Record<string, number>>;
}

const ROOT = path.resolve(import.meta.dirname, '..');

/** Writes the results to the file that `TEST_RESULTS` names. */
export default class ResultsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env.TEST_RESULTS;
    if (!file) return;
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const passed = states.filter((state) => state === 'passed').length;
    const failed = states.filter((state) => state === 'failed').length;
    const results: Results = {
      passed,
      failed,
      skipped: states.length - passed - failed,
      seconds: Object.fromEntries(modules.map((module) => [path.relative(ROOT, module.moduleId), secondsOf(module)])),
    };
    writeFileSync(file, JSON.stringify(results));
  }
}

function secondsOf(module: TestModule): number {
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  return (prepareDuration + collectDuration + setupDuration + duration) / 1000;
}

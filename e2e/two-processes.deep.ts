import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
/**
 * The rooms behind the agent interface, and the tests that speak to it from outside. What is about one process (its log,
 * its connections, its readers that wait) starts `alone` there, too.
 */
const tests = ['server/', 'e2e/parallel', 'e2e/stock-clients', 'e2e/fuzz/'];

it('two web processes and two workers over one database pass the whole test of the agent interface, unchanged', async () => {
  const run = spawn(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'integration', ...tests],
    { cwd: root, env: { ...process.env, TEST_PROCESSES: '2' }, stdio: 'inherit' },
  );
  expect(await once(run, 'exit')).toEqual([0, null]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const lookMinutes = 15;

it('every page is accessible in every size and scheme', async () => {
  const run = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'e2e',
      'e2e/customer-',
      'e2e/operator-',
      'e2e/anyone-',
      // Six looks of a page take six times as long as one.
      `--testTimeout=${lookMinutes * 60_000}`,
    ],
    { cwd: root, env: { ...process.env, EVERY_LOOK: 'yes' }, stdio: 'inherit' },
  );
  expect(await once(run, 'exit')).toEqual([0, null]);
});

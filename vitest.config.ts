import { availableParallelism } from 'node:os';
import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './commands/longest-first.ts';

const MINUTE_MS = 60_000;
/** Tests that wait for leases, rounds and other processes leave half of a core to others. */
const WAITING = Math.ceil(availableParallelism() * 1.5);
const POSTGRES = 'commands/test-postgres.ts';
const CHROMIUM = 'commands/test-chromium.ts';

/**
 * unit         *.test.ts              no database, no process, milliseconds each
 * integration  *.integration.test.ts  a database of its own, cloned from a migrated template
 * e2e          *.e2e.ts               whole processes and a browser, three files at a time
 * deep         *.deep.ts              long trials, only by `npm run test:deep`
 *
 * Units run in as many processes as there are cores, integrations in half as many again. The files of all three share
 * these processes (`isolate`): loading the server, and starting a sandbox and a browser, took longer than many tests.
 */
export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    pool: 'forks',
    maxWorkers: '100%',
    // Tests start the same processes again and again: each loads in half the time.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules', '.cache', 'node') },
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    exclude: [...configDefaults.exclude, '**/.next/**', '**/.data/**', 'server/generated/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, '**/.next/**', '**/.data/**', '**/*.integration.test.ts'],
          // On a busy machine a test that starts a thread waits for it: that is no fault of what it tests.
          testTimeout: MINUTE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          isolate: false,
          include: ['**/*.integration.test.ts'],
          maxWorkers: WAITING,
          globalSetup: POSTGRES,
          // Three share two cores: what takes 5 s alone may wait for many times that.
          testTimeout: 2 * MINUTE_MS,
          hookTimeout: 2 * MINUTE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          isolate: false,
          include: ['**/*.e2e.ts'],
          globalSetup: [POSTGRES, CHROMIUM],
          maxWorkers: 3,
          testTimeout: 5 * MINUTE_MS,
          hookTimeout: 5 * MINUTE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: 'deep',
          include: ['**/*.deep.ts'],
          globalSetup: POSTGRES,
          testTimeout: 60 * MINUTE_MS,
          hookTimeout: 5 * MINUTE_MS,
        },
      },
    ],
  },
});

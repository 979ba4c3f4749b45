import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFreePort } from './ports.ts';
import { type Sandbox, startSandbox } from './start.ts';

/** Stopped ones, kept for the next test file of this process: starting one takes longer than most tests. */
const idle: Sandbox[] = [];

/** For the tests: a sandbox on free ports that has forgotten everything. Its files are deleted when this process ends. */
export async function temporarySandbox(): Promise<Sandbox> {
  const sandbox = (await renewed(idle.pop())) ?? (await started());
  return {
    ...sandbox,
    async stop() {
      idle.push(sandbox);
    },
  };
}

/** Undefined when a test has ended it. */
async function renewed(sandbox: Sandbox | undefined): Promise<Sandbox | undefined> {
  try {
    await sandbox?.startAnew();
    return sandbox;
  } catch {
    return undefined;
  }
}

function started(): Promise<Sandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  return onFreePort((port) => startSandbox({ port, dataDir, keepsData: false }));
}

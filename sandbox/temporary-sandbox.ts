import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFreePort } from './ports.ts';
import { type Sandbox, startSandbox } from './start.ts';

/** For the tests: a sandbox on free ports whose files are deleted when it stops. */
export async function temporarySandbox(): Promise<Sandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const sandbox = await onFreePort((port) => startSandbox({ port, dataDir }));
  return {
    ...sandbox,
    async stop() {
      await sandbox.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** What a client printed, and its exit code if that is not 0. */
interface Ran {
  out: string;
  err: string;
  code: unknown;
}

/**
 * Installs the clients of `e2e/clients` in a folder of their own, which is their home, too, before the tests of one file.
 * Returns how to run one by its script, with these variables.
 */
export function installClients(): (client: string, env: Record<string, string>) => Promise<Ran> {
  const folder = mkdtempSync(path.join(tmpdir(), 'clients-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(() => {
    cpSync(path.resolve(import.meta.dirname, '../clients'), folder, { recursive: true });
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, stdio: 'pipe' });
  });
  return (client, env) => {
    // One that waits for what never comes ends, too.
    const options = {
      cwd: folder,
      timeout: 180_000,
      env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: 'test' as const, ...env },
    };
    return new Promise((done) =>
      execFile('npm', ['run', '--silent', client], options, (error, out, err) => done({ out, err, code: error?.code })),
    );
  };
}

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startService } from './support/service.ts';

const service = await startService();
const suite = path.resolve(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const results = mkdtempSync(path.join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(results, { recursive: true }));

/** Runs the official suite against the product's own address, with every scenario that the revision requires. */
function conformance(revision: string): Promise<{ code: number; out: string }> {
  const baseline = path.join(import.meta.dirname, 'conformance', `${revision}.yml`);
  const args = ['server', '--url', `${service.baseUrl}/mcp`, '--requirements', revision];
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [suite, ...args, '--expected-failures', baseline, '-o', results],
      { maxBuffer: 1 << 26 },
      (_, out, err) => done({ code: child.exitCode ?? -1, out: out + err }),
    );
  });
}

it.each(['2026-07-28', '2025-11-25'])(
  'passes what revision %s requires, but for what its baseline names',
  async (revision) => {
    const { code, out } = await conformance(revision);
    expect(code, out.slice(-4_000)).toBe(0);
  },
  120_000,
);

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { answerMcp } from '../server/transports/mcp.ts';
import { askedOf, send } from '../server/transports/plain.ts';
import { fixtureServer } from './conformance/fixture-server.ts';
import { fixtureSessions } from './conformance/fixture-sessions.ts';
import { startService } from './support/service.ts';

const service = await startService();
const suite = path.resolve(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const results = mkdtempSync(path.join(tmpdir(), 'conformance-'));
afterAll(() => rmSync(results, { recursive: true }));

/** The fixtures, on the door of the product, with sessions, which the product has not. */
const mounted = { server: fixtureServer, sessions: fixtureSessions() };
const fixtures = createServer(async (req, res) => {
  await send(req, res, await answerMcp(service.runtime, askedOf(service.runtime, req), mounted));
});
await new Promise<void>((done) => fixtures.listen(0, '127.0.0.1', done));
afterAll(() => fixtures.close());
const fixturesUrl = `http://127.0.0.1:${(fixtures.address() as AddressInfo).port}/mcp`;

/** Runs the official suite with every scenario that the revision requires; `but` is a file that names exceptions. */
function conformance(revision: string, url: string, but?: string): Promise<{ code: number; out: string }> {
  const baseline = but ? ['--expected-failures', path.join(import.meta.dirname, 'conformance', but)] : [];
  const args = ['server', '--url', url, '--requirements', revision, ...baseline, '-o', results];
  return new Promise((done) => {
    const child = execFile(process.execPath, [suite, ...args], { maxBuffer: 1 << 26 }, (_, out, err) =>
      done({ code: child.exitCode ?? -1, out: out + err }),
    );
  });
}

it.each(['2026-07-28', '2025-11-25'])(
  'passes what revision %s requires, but for what its baseline names',
  async (revision) => {
    const { code, out } = await conformance(revision, `${service.baseUrl}/mcp`, `${revision}.yml`);
    expect(code, out.slice(-4_000)).toBe(0);
  },
  120_000,
);

it.each(['2026-07-28', '2025-11-25'])(
  'passes what revision %s requires with the fixtures of the suite on the same door',
  async (revision) => {
    // The suite waits half a second for some answers: a busy machine gets another try.
    const tries = 3;
    let { code, out } = { code: -1, out: '' };
    for (let n = 0; n < tries && code !== 0; n += 1) ({ code, out } = await conformance(revision, fixturesUrl));
    expect(code, out.slice(-4_000)).toBe(0);
  },
  360_000,
);

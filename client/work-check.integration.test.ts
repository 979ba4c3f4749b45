import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startService } from '../e2e/support/service.ts';
import { exampleRequest } from '../server/work-check/sample.ts';

const service = await startService();
const folder = mkdtempSync(path.join(tmpdir(), 'work-check-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);

/** Runs the command in a process of its own, as a person does. */
function run(env: Record<string, string>, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const program = path.join(import.meta.dirname, 'work-check.ts');
    const settings = {
      NODE_ENV: 'test' as const,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      WORK_CHECK_URL: service.baseUrl,
      WORK_CHECK_HOME: at('home'),
      ...env,
    };
    const child = execFile(process.execPath, [program, ...args], { env: settings }, (_, out, err) =>
      done({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

it('buys with a wallet, reads, reviews, and verifies what it kept; the same request again is the same purchase', async () => {
  const funded = await fetch(`${service.sandbox.controlUrl}/wallets`, { method: 'POST' });
  const { private_key } = (await funded.json()) as { private_key: string };
  const env = { WORK_CHECK_WALLET_KEY: private_key };
  writeFileSync(at('request.json'), JSON.stringify(exampleRequest));
  const quoted = await run(env, 'quote', at('request.json'));
  expect(JSON.parse(quoted.out)).toMatchObject({ state: 'open' });

  const worker = service.startWorker();
  await worker.ready;
  const bought = await run(env, 'buy', at('request.json'), at('purchase.json'));
  expect([bought.code, bought.err]).toEqual([0, '']);
  expect(bought.out).toMatch(/delivered\nkept in .*\n[\s\S]*## /);
  const jobKey = /job_\w+/.exec(bought.out)?.[0] ?? '';
  expect((await run(env, 'buy', at('request.json'), at('purchase.json'))).out).toContain(`${jobKey} delivered`);

  expect((await run(env, 'review', jobKey, 'accept')).out).toBe(`${jobKey} accepted\n`);
  expect(JSON.parse((await run(env, 'receipt', jobKey)).out)).toMatchObject({ charge: { state: 'final' } });
  expect((await run(env, 'report', jobKey)).out).toContain('## ');
  await worker.stop();

  writeFileSync(at('keys.json'), await (await fetch(`${service.baseUrl}/.well-known/jwks.json`)).text());
  expect(await run({}, 'verify', at('purchase.json'), at('keys.json'))).toMatchObject({ code: 0, err: '' });
});

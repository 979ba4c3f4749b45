import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import vectors from './vectors.json' with { type: 'json' };
import { patched } from './verify/patched.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const at = path.join(folder, name);
  writeFileSync(at, JSON.stringify(content));
  return at;
}

// Compiled code is kept: each run starts in half the time.
const env = { NODE_ENV: 'test' as const, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** Runs the command without any network and any setting. */
function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const program = path.join(import.meta.dirname, 'work-check.ts');
    const child = execFile(process.execPath, [program, ...args], { env }, (_, out, err) =>
      done({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

it('verify says what holds, and exits with 0', async () => {
  const { code, out } = await run('verify', file('good.json', vectors.good.table), file('keys.json', vectors.keys));
  expect([code, out.split('\n').at(-2)]).toEqual([0, 'holds    form']);
});

it('verify names the broken link, and exits with 1', async () => {
  const vector = vectors.tampered.find(({ broken }) => broken === 'proofs');
  const bundle = patched(vectors.good[vector?.of as 'table'], vector?.patch ?? []);
  const { code, out } = await run('verify', file('bad.json', bundle), file('keys.json', vectors.keys));
  expect(code).toBe(1);
  expect(out).toMatch(/^BROKEN {3}proofs: The proof of statement \d+ does not hold\.$/m);
});

it('says how it is used', async () => {
  for (const args of [[], ['unknown'], ['toString']])
    expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining('Usage: work-check COMMAND') });
  expect(await run('verify')).toMatchObject({ code: 2, err: 'PURCHASE.json is missing.\n' });
  expect(await run('receipt', 'job_1')).toMatchObject({ code: 2, err: 'WORK_CHECK_URL is missing.\n' });
});

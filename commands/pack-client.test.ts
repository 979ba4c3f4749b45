import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import vectors from '../client/vectors.json' with { type: 'json' };
import { packClient } from './pack-client.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pack-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, NODE_ENV: 'test' } });

it('says of every package inside which version it is, and under which licence', async () => {
  await packClient(at('listed'));
  const bill = JSON.parse(readFileSync(at('listed/sbom.cdx.json'), 'utf8'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'work-check' } } });
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const listed: { purl: string; licenses: { expression?: unknown }[] }[] = bill.components;
  const purls = listed.map(({ purl }) => purl);
  for (const name of ['viem', 'zod', 'jose', '@x402/core'])
    expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${dependencies[name]}`);
  expect(new Set(purls).size).toBe(purls.length);
  for (const { licenses } of listed) expect(licenses).toEqual([{ expression: expect.stringMatching(/\w/) }]);
  // Nothing that it runs comes from elsewhere.
  const code = readdirSync(at('listed'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(at(`listed/${file}`), 'utf8'));
  const imported = code.flatMap((text) =>
    [...text.matchAll(/^import\s[^'"`;]*?["']([^"']+)["']/gm)].map(([, from]) => from),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(
    imported.filter((from) => !/^(?:\.\/|node:)/.test(from ?? '') && !builtinModules.includes(from ?? '')),
  ).toEqual([]);
});

it('makes a package that runs where nothing else is installed', async () => {
  await packClient(at('made'));
  const [packed] = JSON.parse(run('npm', 'pack', './made', '--json', '--offline'));
  expect(packed.name).toBe('work-check');
  const files = packed.files.map((file: { path: string }) => file.path);
  for (const wanted of ['LICENSE', 'vectors.json', 'sbom.cdx.json', 'work-check.js', 'buyer.js'])
    expect(files).toContain(wanted);
  expect(files.filter((file: string) => /\.env|\.pem|\.ts$/.test(file))).toEqual([]);
  run('tar', '-xzf', packed.filename);

  writeFileSync(at('purchase.json'), JSON.stringify(vectors.good.table));
  writeFileSync(at('keys.json'), JSON.stringify(vectors.keys));
  const out = run(process.execPath, 'package/work-check.js', 'verify', 'purchase.json', 'keys.json');
  expect(out.split('\n').at(-2)).toBe('holds    form');

  writeFileSync(
    at('uses.mjs'),
    "import * as all from './package/buyer.js';\nconsole.log(Object.keys(all).sort().join());\n",
  );
  expect(run(process.execPath, 'uses.mjs')).toBe('Buyer,Refused,keptIn,links,verifyBundle,verifyReceipt\n');
});

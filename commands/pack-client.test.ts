import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import vectors from '../client/vectors.json' with { type: 'json' };
import { packClient } from './pack-client.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pack-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, NODE_ENV: 'test' } });

let packed: { name: string; filename: string; files: { path: string }[] };
beforeAll(async () => {
  vi.stubEnv('GITHUB_SERVER_URL', 'https://forge.example');
  vi.stubEnv('GITHUB_REPOSITORY', 'seller/work-check');
  await packClient(at('made'));
  vi.unstubAllEnvs();
  [packed] = JSON.parse(run('npm', 'pack', './made', '--json', '--offline'));
}, 60_000);

it('says of every package inside which version it is, and under which licence', () => {
  const bill = JSON.parse(readFileSync(at('made/sbom.cdx.json'), 'utf8'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'work-check' } } });
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const listed: { purl: string; licenses: { expression?: unknown }[] }[] = bill.components;
  const purls = listed.map(({ purl }) => purl);
  for (const name of ['viem', 'zod', 'jose', '@x402/core'])
    expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${dependencies[name]}`);
  expect(new Set(purls).size).toBe(purls.length);
  for (const { licenses } of listed) expect(licenses).toEqual([{ expression: expect.stringMatching(/\w/) }]);
  // Nothing that it runs comes from elsewhere.
  const code = readdirSync(at('made'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(at(`made/${file}`), 'utf8'));
  const imported = code.flatMap((text) =>
    [...text.matchAll(/^import\s[^'"`;]*?["']([^"']+)["']/gm)].map(([, from]) => from),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(
    imported.filter((from) => !/^(?:\.\/|node:)/.test(from ?? '') && !builtinModules.includes(from ?? '')),
  ).toEqual([]);
});

it('names the repository of the release: npm takes no provenance without', () => {
  const manifest = JSON.parse(readFileSync(at('made/package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: 'git+https://forge.example/seller/work-check.git' },
    publishConfig: { provenance: true },
  });
});

it('makes a package that runs where nothing else is installed', () => {
  expect(packed.name).toBe('work-check');
  const files = packed.files.map((file) => file.path);
  for (const wanted of ['LICENSE', 'README.md', 'vectors.json', 'sbom.cdx.json', 'work-check.js', 'buyer.js'])
    expect(files).toContain(wanted);
  expect(files.filter((file) => /\.env|\.pem|(?<!\.d)\.ts$/.test(file))).toEqual([]);
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

const usesTypes = `
import { Buyer, type CheckRequest, keptIn, type Verification, verifyBundle } from 'work-check';

const request: CheckRequest = { work_product: 'Sales rose.', evidence: [{ source: 'report', text: 'Sales rose.' }] };

export async function check(wallet: Parameters<Buyer['signIn']>[0]): Promise<Verification> {
  const buyer = new Buyer({ baseUrl: 'https://work-check.example', kept: keptIn('kept') });
  await buyer.signIn(wallet);
  const quote = await buyer.quote(request, 500_000_000);
  const { job_key } = await buyer.authorize(quote);
  const paid = await buyer.payByWallet(job_key, wallet);
  const { state } = await buyer.follow(paid.job_key, (job) => console.log(job.progress.percent.toFixed()));
  if (state === 'delivered') await buyer.review({ job_key, decision: 'accept' });
  const { findings, verdict } = await buyer.report(job_key);
  if (verdict === 'supported') console.log(findings.map(({ criterion }) => criterion.toUpperCase()));
  return verifyBundle(await buyer.bundle(job_key, request), { keys: [] });
}

export async function mistakes(buyer: Buyer) {
  // @ts-expect-error evidence needs its text
  const request: CheckRequest = { work_product: 'Sales rose.', evidence: [{ source: 'report' }] };
  const { state } = await buyer.job('job_1');
  // @ts-expect-error no job is ever in this state
  if (state === 'flying') return request;
  // @ts-expect-error there is no such decision
  return buyer.review({ job_key: 'job_1', decision: 'maybe' });
}
`;

it('has types that need no other package, by which a right use compiles, as the README shows one, and a wrong one does not', () => {
  mkdirSync(at('empty'));
  writeFileSync(at('empty/package.json'), '{"type": "module"}');
  run('npm', 'install', '--prefix', 'empty', '--offline', '--no-audit', '--no-fund', at(packed.filename));
  expect(readdirSync(at('empty/node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['work-check']);
  writeFileSync(at('empty/use.ts'), usesTypes);
  const [, shown = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(at('made/README.md'), 'utf8')) ?? [];
  writeFileSync(at('empty/shown.ts'), shown);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    module: 'nodenext',
    lib: ['ES2024', 'DOM'],
    types: [],
    noEmit: true,
  };
  writeFileSync(at('empty/tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts', 'shown.ts'] }));
  const compiler = path.resolve(import.meta.dirname, '../node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', at('empty')], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});

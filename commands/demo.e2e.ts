import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildApp } from './build.ts';
import { freePorts } from './ports.ts';
import { endingOf } from './processes.ts';
import { requireFreePorts } from './stack.ts';
import { testFolder } from './test-folder.ts';

const root = path.resolve(import.meta.dirname, '..');
const folder = testFolder();

beforeAll(async () => {
  await buildApp();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run demo', () => {
  let bought: string[];

  it('ends by itself after --exit, with 0 because the agent got its reports and receipts that verify', async () => {
    const demo = await runDemo(['--exit']);
    expect(await demo.ended).toBe(0);
    expect(demo.output()).toContain('paying on eip155:84532');
    expect(demo.output()).toContain('paying on eip155:421614');
    expect(demo.output()).toContain('paying with card_checkout');
    expect(demo.output()).toContain('paying with card_saved');
    expect(demo.output().match(/carries a good signature/g)).toHaveLength(4);
    bought = [...new Set(demo.output().match(/job_\w+/g))].sort();
    expect(bought).toHaveLength(4);
    expect(processesWith(folder)).toEqual([]);
  });

  it('still has what was bought and the keys that signed it, and stops every process at Ctrl-C', async () => {
    const keys = readFileSync(path.join(folder, 'receipt-keys.json'), 'utf8');
    const demo = await runDemo([]);
    await demo.prints('Press Ctrl-C');
    expect(await acceptedJobs(demo.ports.postgres)).toEqual(expect.arrayContaining(bought));
    expect(readFileSync(path.join(folder, 'receipt-keys.json'), 'utf8')).toBe(keys);
    expect(processesWith(folder).length).toBeGreaterThan(4);
    const running = path.join(folder, 'running.json');
    expect(statSync(running).mode & 0o777).toBe(0o600);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path.join(root, 'commands/money.ts')], {
      env: { ...process.env, DATABASE_URL: '', DATA_DIR: folder },
    });
    expect(stdout).toContain('What the books');
    expect(stderr).toContain(`http://localhost:${demo.ports.app};`);

    demo.pressCtrlC();
    await demo.ended;
    expect(existsSync(running)).toBe(false);
    expect(processesWith(folder)).toEqual([]);
    await requireFreePorts(demo.ports);
  });

  it('leaves no process when npm is killed and can say nothing', async () => {
    const demo = await runDemo([]);
    await demo.prints('Read what is sold');
    demo.kill();
    await demo.ended;
    while (processesWith(folder).length > 0) await sleep(100);
    await requireFreePorts(demo.ports);
  });

  it('fails after --exit when the agent does not come to its end', async () => {
    const demo = await runDemo(['--exit']);
    await demo.prints('Read what is sold');
    killProcess(folder, 'client/example-agent.ts');
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('The agent did not get what it paid for');
    expect(processesWith(folder)).toEqual([]);
  });

  it('names the part that died, and stops the others', async () => {
    const demo = await runDemo([]);
    await demo.prints('Read what is sold');
    killProcess(folder, 'server/worker/worker.ts');
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('The worker ended by itself (SIGKILL).');
    expect(processesWith(folder)).toEqual([]);
  });

  it('keeps its secrets from everyone else on the machine', () => {
    for (const file of ['secrets.json', 'receipt-keys.json']) {
      expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('says in one sentence which port is busy', async () => {
    const ports = await freePorts();
    const other = createServer().listen(ports.smtp, '127.0.0.1');
    onTestFinished(() => void other.close());
    const demo = await runDemo(['--exit'], { ports });
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toBe(
      `Port ${ports.smtp}, wanted for the mail server, is in use: stop the program that listens there, or move everything with another PORT.\n`,
    );
  });

  it('says in one sentence that PORT is no port', async () => {
    const demo = await runDemo(['--exit'], { port: 'http' });
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toMatch(/^PORT must be a whole number from 1 to \d+, .*\.\n$/);
  });

  it('says in one sentence that the data are of another version, and leaves them alone', async () => {
    const dataDir = path.join(folder, 'old');
    const version = path.join(dataDir, 'postgres', 'PG_VERSION');
    mkdirSync(path.dirname(version), { recursive: true });
    writeFileSync(version, '16\n');
    const demo = await runDemo(['--exit'], { dataDir });
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toMatch(/^\S+ was written by PostgreSQL 16 and this is PostgreSQL 18: move .*\.\n$/);
    expect(readFileSync(version, 'utf8')).toBe('16\n');
  });
});

interface DemoOptions {
  dataDir?: string;
  ports?: Awaited<ReturnType<typeof freePorts>>;
  port?: string;
}

/** Types the command as a person would: npm leads the terminal's foreground group. */
async function runDemo(args: string[], { dataDir = folder, ports, port }: DemoOptions = {}) {
  const chosen = ports ?? (await freePorts());
  const npm = spawn('npm', ['run', '--silent', 'demo', '--', ...args], {
    cwd: root,
    env: { ...process.env, PORT: port ?? String(chosen.app), DATA_DIR: dataDir, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const ended = endingOf(npm);
  const group = npm.pid ?? 0;
  onTestFinished(async () => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-group, 'SIGTERM');
    await ended;
  });
  return {
    ports: chosen,
    ended,
    output: () => output,
    prints: async (text: string) => {
      while (!output.includes(text)) {
        if (npm.exitCode !== null) throw new Error(`The demo ended before it printed "${text}":\n${output}`);
        await sleep(100);
      }
    },
    pressCtrlC: () => process.kill(-group, 'SIGINT'),
    kill: () => process.kill(group, 'SIGKILL'),
  };
}

async function acceptedJobs(port: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${port}/work_check` });
  await client.connect();
  const { rows } = await client.query<{ job_key: string }>(`select job_key from jobs where state = 'accepted'`);
  await client.end();
  return rows.map((row) => row.job_key);
}

/** The command lines of processes that name this folder in an argument or in their environment. */
function processesWith(dataDir: string): string[] {
  return numbersOf(dataDir).map((number) => read(number, 'cmdline').replaceAll('\0', ' '));
}

function killProcess(dataDir: string, script: string): void {
  const found = numbersOf(dataDir).filter((number) => read(number, 'cmdline').endsWith(`${script}\0`));
  expect(found).toHaveLength(1);
  for (const number of found) process.kill(Number(number), 'SIGKILL');
}

function numbersOf(dataDir: string): string[] {
  const numbers = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return numbers.filter((number) => ['cmdline', 'environ'].some((file) => read(number, file).includes(dataDir)));
}

function read(number: string, file: string): string {
  try {
    return readFileSync(path.join('/proc', number, file), 'utf8');
  } catch {
    return '';
  }
}

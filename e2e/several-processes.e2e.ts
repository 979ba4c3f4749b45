import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sandboxedEnvironment } from '../commands/environment.ts';
import { onFreePorts } from '../commands/ports.ts';
import { type Stack, startStack } from '../commands/stack.ts';
import { testDatabase } from '../commands/test-database.ts';
import { freePort } from '../sandbox/ports.ts';
import { Agent } from './support/agent.ts';
import { scrape } from './support/scrape.ts';

// `npm start` and `npm run worker` as several processes each, as production runs them.

const folder = mkdtempSync(path.join(tmpdir(), 'several-'));
// When root starts PostgreSQL, it runs as nobody, who must be able to enter.
chmodSync(folder, 0o755);
const quotes = 5;
/** Starting several at once takes a busy machine long. */
const patience = { timeout: 150_000, interval: 200 };

const database = await testDatabase();
let stack: Stack;
let env: NodeJS.ProcessEnv;
let metrics: number;
let web: ChildProcess;
let worker: ChildProcess;
let agent: Agent;

function start(script: string, changes: Record<string, string> = {}): ChildProcess {
  const file = path.join(import.meta.dirname, '..', script);
  const started = spawn(process.execPath, [file], { env: { ...env, ...changes }, stdio: ['ignore', 'ignore', 'pipe'] });
  // A full pipe would stop it.
  started.stderr?.resume();
  return started;
}

const childrenOf = ({ pid }: ChildProcess) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);

/** On a connection of its own, so that any of the processes gets it. */
const alone = { connection: 'close' };

beforeAll(async () => {
  const ports = await onFreePorts(async (free) => {
    stack = await startStack({ ports: free, dataDir: folder, mode: 'production', databaseUrl: database.url });
    return free;
  });
  const port = await freePort();
  metrics = await freePort();
  env = {
    ...process.env,
    ...sandboxedEnvironment(ports, folder, stack.databaseUrl),
    NODE_ENV: 'production',
    PORT: String(port),
    RATE_LIMIT_QUOTES: String(quotes),
    STOP_DELAY_SECONDS: '1',
    WEB_PROCESSES: '2',
    WORKER_PROCESSES: '2',
  };
  await stack.worker.stop();
  web = start('server/start.ts', { METRICS_PORT: String(metrics) });
  worker = start('server/worker/worker.ts');
  agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  agent = agent.at(`http://127.0.0.1:${port}`);
  await vi.waitFor(async () => {
    expect((await agent.get('/readyz')).status).toBe(200);
  }, patience);
  await scrape(metrics + 1);
});
afterAll(async () => {
  for (const one of [web, worker]) one?.kill('SIGKILL');
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('both processes answer on one port, and each tells its own figures', async () => {
  const answered = async (port: number) =>
    [...(await scrape(port)).text.matchAll(/_count\{[^}]*operation="me"[^}]*\} (\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  let asked = 0;
  // The second process may begin to listen after the first.
  await vi.waitFor(async () => {
    for (let times = 0; times < 20; times += 1, asked += 1) await agent.get('/api/agent/v1/me', alone);
    const [first, second] = [await answered(metrics), await answered(metrics + 1)];
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(0);
    expect(first + second).toBe(asked);
  }, patience);
});

it('who waits at one process hears of what another has done', async () => {
  const job = await agent.authorizedJob();
  const etag = (await agent.job(job)).headers.get('etag') ?? '';
  const waiting = agent.job(job, { prefer: 'wait=25', 'if-none-match': etag, ...alone });
  const signature = await agent.signPayment(job);
  expect((await agent.pay(job, { signature })).status).toBe(200);
  expect((await waiting).status).toBe(200);
  const state = () => agent.job(job, alone).then(({ body }) => body.state);
  await expect.poll(state, patience).toBe('delivered');
});

it('a limit holds over all processes together', async () => {
  const statuses: number[] = [];
  for (let times = 0; times < 3 * quotes; times += 1) {
    statuses.push((await agent.post('/api/agent/v1/checks', {}, alone)).status);
  }
  // One quote went to the purchase before.
  expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(quotes);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2 * quotes);
});

it.each(['web', 'worker'] as const)('a %s process that is killed is replaced', async (role) => {
  const supervisor = role === 'web' ? web : worker;
  const [victim, other] = childrenOf(supervisor);
  process.kill(Number(victim), 'SIGKILL');
  await expect.poll(() => childrenOf(supervisor).filter((pid) => pid !== victim).length, patience).toBe(2);
  expect(childrenOf(supervisor)).toContain(other);
  expect(supervisor.exitCode).toBeNull();
});

it('all are replaced one by one at SIGHUP, and no request fails', async () => {
  const before = childrenOf(web);
  web.kill('SIGHUP');
  const failures: unknown[] = [];
  let asked = 0;
  const isReplaced = () => childrenOf(web).length === 2 && childrenOf(web).every((pid) => !before.includes(pid));
  while (!isReplaced()) {
    asked += 1;
    await agent.get('/api/agent/v1/me').then(
      ({ status }) => status === 200 || failures.push(status),
      (error) => failures.push(error),
    );
  }
  expect(asked).toBeGreaterThan(10);
  expect(failures).toEqual([]);
});

it('a start on a port that is taken ends, and says so', async () => {
  const second = start('server/start.ts');
  let said = '';
  second.stderr?.on('data', (bytes) => (said += bytes));
  const [code] = await once(second, 'exit');
  expect(code).toBe(1);
  expect(said).toMatch(/PORT \d+ of 127\.0\.0\.1 cannot be listened on: EADDRINUSE/);
});

it('a stop ends them all', async () => {
  for (const supervisor of [web, worker]) {
    const children = childrenOf(supervisor);
    supervisor.kill('SIGTERM');
    expect((await once(supervisor, 'exit'))[0]).toBe(0);
    for (const pid of children) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  }
});

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningProcess, startProcess } from '../commands/processes.ts';
import { cpuSeconds } from './measure.ts';

const root = path.resolve(import.meta.dirname, '..');

/** A server under load, and what it costs. */
export interface Server {
  readonly baseUrl: string;
  /** Whether a worker of its own delivers what was paid for. */
  readonly hasWorker: boolean;
  /** What the process that answers requests has used so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts the service as production runs it, one API process and one worker, on the database that `env` names. */
export async function startService(
  env: Record<string, string>,
  { worker: hasWorker = true }: { worker?: boolean } = {},
): Promise<Server> {
  const start = (name: string, script: string): RunningProcess =>
    startProcess({
      name,
      command: process.execPath,
      args: [...profiling(name), path.join(root, script)],
      env: { ...process.env, ...env, NODE_ENV: 'production' },
      show: 'problems',
    });
  const worker = hasWorker ? start('worker', 'server/worker/worker.ts') : null;
  const app = start('app', 'server/start.ts');
  const baseUrl = `http://127.0.0.1:${env.PORT}`;
  const answers = async (): Promise<boolean> => (await fetch(`${baseUrl}/.well-known/svc`)).ok;
  const broken = Promise.race([app.died, ...(worker ? [worker.died] : [])]).then((how) => {
    throw new Error(how);
  });
  while (!(await answers().catch(() => false))) await Promise.race([sleep(100), broken]);
  return {
    baseUrl,
    hasWorker,
    cpuSeconds: () => cpuSeconds(app.pid ?? 0),
    async stop() {
      await Promise.all([app.stop(), worker?.stop()]);
    },
  };
}

/** `PROFILE=folder npm run bench` keeps a CPU profile of each process of the service there. */
function profiling(name: string): string[] {
  const folder = process.env.PROFILE;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${path.resolve(folder, name)}`, '--cpu-prof-interval=500'] : [];
}

/** Starts a script of this folder as a process that says when it is ready. */
export async function startPeer(
  script: string,
  ...args: string[]
): Promise<{ pid: number | undefined; cpuSeconds(): number; stop(): void }> {
  const child = fork(path.join(import.meta.dirname, script), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return { pid: child.pid, cpuSeconds: () => cpuSeconds(child.pid ?? 0), stop: () => child.kill() };
}

/** Starts the purchase behind plain node:http on the database that `env` names. */
export async function startPlainServer(env: Record<string, string>): Promise<Server> {
  const { PORT = '', DATABASE_URL = '', SECRET_KEY = '', X402_FACILITATOR_URL = '' } = env;
  const peer = await startPeer('plain-server.ts', PORT, DATABASE_URL, SECRET_KEY, X402_FACILITATOR_URL);
  return { ...peer, hasWorker: false, baseUrl: `http://127.0.0.1:${PORT}`, stop: async () => peer.stop() };
}

/** Starts a plain server of the MCP SDK on the database that `env` names. */
export async function startPlainMcp(env: Record<string, string>): Promise<Server> {
  const { PORT = '', DATABASE_URL = '', SECRET_KEY = '' } = env;
  const peer = await startPeer('plain-mcp.ts', PORT, DATABASE_URL, SECRET_KEY);
  return { ...peer, hasWorker: false, baseUrl: `http://127.0.0.1:${PORT}`, stop: async () => peer.stop() };
}

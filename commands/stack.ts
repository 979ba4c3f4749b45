import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ports } from '../sandbox/ports.ts';
import { sandboxedEnvironment } from './environment.ts';
import { migrate } from './migrate.ts';
import { requireFreePort } from './ports.ts';
import { createDatabase, startPostgres } from './postgres.ts';
import { printLine, type RunningProcess, startProcess } from './processes.ts';
import { Refusal } from './refusal.ts';
import { noteRunning } from './running.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const DATABASE = 'work_check';
const HEALTH_TIMEOUT_MS = 60_000;
const HEALTH_POLL_MS = 100;

export interface StackOptions {
  readonly ports: Ports;
  /** Holds the database, the secrets and the keys; survives a restart. */
  readonly dataDir: string;
  readonly mode: 'production' | 'development';
  /** A database of a server that runs already and is never stopped here; by default `DATABASE_URL`, else one from npm. */
  readonly databaseUrl?: string | undefined;
}

/** Everything that runs: database, sandbox, worker and app. */
export interface Stack {
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
  readonly sandbox: RunningProcess;
  readonly worker: RunningProcess;
  readonly app: RunningProcess;
  /** Another worker, or the next one after a crash. */
  startWorker(): RunningProcess;
  /** The next app after a crash; resolves when it answers. */
  startApp(): Promise<RunningProcess>;
  /** Resolves with one sentence when one of the first processes ends by itself. */
  readonly broken: Promise<string>;
  /** Ends all of it, the database last. */
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Starts everything on this machine and resolves when the app answers. `DATABASE_URL` replaces the database from npm.
 * When a part does not come up it stops the others and throws a `Refusal` with one sentence.
 */
export async function startStack({ ports, dataDir, mode, databaseUrl: given }: StackOptions): Promise<Stack> {
  const started: Stoppable[] = [];
  const keep = <T extends Stoppable>(part: T): T => {
    started.push(part);
    return part;
  };
  const stop = async () => {
    for (const part of started.toReversed()) await part.stop();
  };
  try {
    mkdirSync(dataDir, { recursive: true });
    const database = keep(await startDatabase(ports, dataDir, given ?? process.env.DATABASE_URL));
    const databaseUrl = database.url;
    const applied = await migrate(databaseUrl);
    printLine('database', applied.length === 0 ? 'up to date' : `migrations applied: ${applied.length}`);

    const variables = sandboxedEnvironment(ports, dataDir, databaseUrl);
    const env: NodeJS.ProcessEnv = { ...process.env, ...variables, NODE_ENV: mode };
    const watch = mode === 'development' ? ['--watch', '--watch-preserve-output'] : [];
    const start = (name: string, script: string, args: readonly string[] = []) =>
      keep(
        startProcess({
          name,
          command: process.execPath,
          args: [...args, path.join(ROOT, script)],
          env,
          show: mode === 'development' ? 'all' : 'problems',
        }),
      );
    const sandboxUrl = `http://127.0.0.1:${ports.control}`;
    const baseUrl = `http://localhost:${ports.app}`;
    const startWorker = () => start('worker', 'server/worker/worker.ts', watch);
    const startApp = async () => untilHealthy(start('app', 'server/start.ts'), `${baseUrl}/.well-known/svc`);

    const sandbox = await untilHealthy(start('sandbox', 'sandbox/main.ts'), `${sandboxUrl}/chains`);
    const worker = startWorker();
    const app = await startApp();
    const forget = noteRunning(dataDir, variables);
    started.push({ stop: async () => forget() });
    const broken = Promise.race([database.broken, sandbox.died, worker.died, app.died]);
    return { baseUrl, sandboxUrl, databaseUrl, sandbox, worker, app, startWorker, startApp, broken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Throws a `Refusal` that names the first port that something else already listens on. */
export async function requireFreePorts(ports: Ports): Promise<void> {
  await requireFreePort(ports.app, 'the app');
  await requireFreePort(ports.control, "the sandbox's control");
  await requireFreePort(ports.facilitator, 'the payment facilitator');
  await requireFreePort(ports.chains[84532], 'the chain 84532');
  await requireFreePort(ports.chains[421614], 'the chain 421614');
  await requireFreePort(ports.smtp, 'the mail server');
  await requireFreePort(ports.stripe, 'the payment provider');
}

/** PostgreSQL from npm with one database, or the given one, whose server we never stop. */
async function startDatabase(
  ports: Ports,
  dataDir: string,
  given: string | undefined,
): Promise<Stoppable & { url: string; broken: Promise<string> }> {
  if (given) return { url: given, broken: new Promise(() => undefined), stop: async () => undefined };
  const folder = path.join(dataDir, 'postgres');
  const { url, ended, stop } = await startPostgres({ dataDir: folder, port: ports.postgres, durable: true });
  printLine('database', `PostgreSQL on port ${ports.postgres}, data in ${path.relative(process.cwd(), folder)}`);
  return {
    url: await createDatabase(url, DATABASE),
    broken: ended.then(() => 'PostgreSQL ended by itself.'),
    stop,
  };
}

/** Resolves when the address answers 200; throws a `Refusal` when the process ends first or a minute has passed. */
async function untilHealthy(running: RunningProcess, url: string): Promise<RunningProcess> {
  const deadline = performance.now() + HEALTH_TIMEOUT_MS;
  let end: string | undefined;
  void running.died.then((sentence) => (end = sentence));
  while (!(await answers(url))) {
    if (end !== undefined) throw new Refusal(end);
    if (performance.now() > deadline) {
      const lines = [`The ${running.name} does not answer at ${url}. Its last lines:`, ...running.tail()];
      throw new Refusal(lines.join('\n  '));
    }
    await sleep(HEALTH_POLL_MS);
  }
  printLine(running.name, `ready on ${new URL(url).origin}`);
  return running;
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

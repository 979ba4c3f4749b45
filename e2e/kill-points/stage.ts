import { rmSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, vi } from 'vitest';
import { sandboxedEnvironment } from '../../commands/environment.ts';
import { onFreePorts } from '../../commands/ports.ts';
import { type RunningProcess, startProcess } from '../../commands/processes.ts';
import { type Stack, startStack } from '../../commands/stack.ts';
import { cloneDatabase } from '../../commands/test-database.ts';
import { testFolder } from '../../commands/test-folder.ts';
import { onFreePort } from '../../sandbox/ports.ts';
import { Acknowledged } from '../support/acknowledged.ts';
import { Agent, type Answer, clearFaults } from '../support/agent.ts';
import { cardDifferences } from '../support/card-books.ts';
import { chainDifferences } from '../support/chain-books.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { type DatabaseTap, tapDatabase } from './database-tap.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LOOK_AGAIN_MS = 100;
/** A time limit far beyond what the service promises, for slow machines. */
const TRIES_MAX = 900;
/** Seconds within which the service must have continued everything after a crash: a promise, not a matter of speed. */
const PROMISED_SECONDS = 30;

/** A process to be killed, and the tap before its database. */
export interface Victim extends DatabaseTap {
  readonly process: RunningProcess;
}

/** A running service whose processes are killed, with one app and one database that survive. */
export interface Stage {
  readonly stack: Stack;
  readonly database: pg.Pool;
  /** An agent of the surviving app. The journal keeps everything it is told. */
  arrive(): Promise<Agent>;
  /** Sends a request to a victim or, without one, to the surviving app. */
  send(agent: Agent, request: Request, victim?: { baseUrl: string }): Promise<Answer>;
  app(): Promise<Victim & { baseUrl: string }>;
  worker(): Promise<Victim>;
  /**
   * Runs `work`, which ends once everything has continued after a crash, and requires that this was within the promised
   * time.
   */
  goesOn<T>(after: string, work: () => Promise<T>): Promise<T>;
  /** The trial that took longest to continue, and its seconds. */
  slowest(): string;
  /** Resolves when `look` finds something. Fails after a minute and a half, naming `what`. */
  eventually<T>(look: () => Promise<T | false | undefined | null>, what?: () => string): Promise<T>;
  /** What is wrong with the books, the chains or what buyers were told. */
  broken(): Promise<string[]>;
}

/** A repeatable request under a key; a POST by default. */
export interface Request {
  readonly method?: 'DELETE';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Record<string, string>;
}

/** How much longer everything takes because more processes run than there are cores; at least 1. */
const crowding = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/** Resolves when the job has reached this state. */
export const inState = (stage: Stage, agent: Agent, jobKey: string, wanted: Record<string, string>): Promise<true> =>
  whenJob(stage, { agent, jobKey }, isIn(wanted), JSON.stringify(wanted));

/** Whether a job is in this state. */
export const isIn =
  (wanted: Record<string, string>) =>
  (job: Answer['body']): boolean =>
    Object.entries(wanted).every(([field, value]) => job[field] === value);

/** Resolves when the job looks so; `what` says how, for the failure. */
export function whenJob(
  stage: Stage,
  { agent, jobKey }: { agent: Agent; jobKey: string },
  looksSo: (job: Answer['body']) => boolean,
  what: string,
): Promise<true> {
  let found: Answer | undefined;
  return stage.eventually(
    async () => {
      found = await agent.job(jobKey);
      return looksSo(found.body);
    },
    () => `${what} of a job that stands so: ${found?.text}`,
  );
}

function startScript(script: string, env: Record<string, string>): RunningProcess {
  return startProcess({
    name: 'victim',
    command: process.execPath,
    args: [path.join(ROOT, script)],
    env: { ...process.env, ...env },
    show: 'problems',
  });
}

async function eventually<T>(look: () => Promise<T | false | undefined | null>, what = () => String(look)): Promise<T> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const found = await look();
    if (found) return found;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Error(`it did not come about: ${what()}`);
}

/** Resolves when the process itself reports it: another one may answer at its address. */
async function isReady(started: RunningProcess, word: string): Promise<void> {
  const died = started.died.then((sentence) => Promise.reject(new Error(sentence)));
  await Promise.race([died, eventually(async () => started.tail().some((line) => line.includes(word)))]);
}

async function brokenNow(database: pg.Pool, sandboxUrl: string, journal: Acknowledged): Promise<string[]> {
  await clearFaults(sandboxUrl);
  return [
    ...(await brokenInvariants(database)),
    ...(await chainDifferences(database, sandboxUrl)),
    ...(await cardDifferences(database, sandboxUrl)),
    ...(await journal.missing(database)),
  ];
}

/** Times the recovery after a crash and remembers the slowest. */
function stopwatch(): Pick<Stage, 'goesOn' | 'slowest'> {
  let slowest = { after: 'nothing', seconds: 0 };
  return {
    slowest: () => `${slowest.seconds.toFixed(1)} s after: ${slowest.after}`,
    async goesOn(after, work) {
      const from = performance.now();
      const done = await work();
      const seconds = (performance.now() - from) / 1000;
      if (seconds > slowest.seconds) slowest = { after, seconds };
      expect(seconds, `seconds until all had gone on after: ${after}`).toBeLessThan(PROMISED_SECONDS * crowding());
      return done;
    },
  };
}

/**
 * Starts the service in production mode; it ends with the file's tests. The apps to be killed are those of `npm start`,
 * or serve no pages.
 */
export async function openStage({ pages = false } = {}): Promise<Stage> {
  // One cardholder cancels more paid jobs than an account may.
  vi.stubEnv('REMEDIES_MAX', '0');
  const folder = testFolder();
  const own = await cloneDatabase();
  const [ports, stack] = await onFreePorts(
    async (ports) =>
      [ports, await startStack({ ports, dataDir: folder, mode: 'production', databaseUrl: own.url })] as const,
  );
  const database = new pg.Pool({ connectionString: stack.databaseUrl });
  const journal = new Acknowledged();
  const victims: Victim[] = [];

  async function victim(script: string, port: number): Promise<Victim> {
    const tap = await tapDatabase(stack.databaseUrl);
    const env = { ...sandboxedEnvironment(ports, folder, tap.url), NODE_ENV: 'production', PORT: String(port) };
    const opened = { ...tap, process: startScript(script, env) };
    victims.push(opened);
    return opened;
  }

  let spare: ReturnType<Stage['app']> | null = null;
  function startApp(): ReturnType<Stage['app']> {
    return onFreePort(async (port) => {
      const opened = await victim(pages ? 'server/start.ts' : 'e2e/kill-points/web.ts', port);
      await isReady(opened.process, 'app_ready');
      return { ...opened, baseUrl: `http://127.0.0.1:${port}` };
    });
  }

  afterAll(async () => {
    for (const { process, close } of victims) {
      await process.kill();
      await close();
    }
    await database.end();
    await stack.stop();
    await own.drop();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    stack,
    database,
    arrive: () => Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } }),
    async send(agent, { method, path, body, headers }, { baseUrl } = stack) {
      const door = agent.at(baseUrl);
      const answer = await (method ? door.send(method, path, undefined, headers) : door.post(path, body, headers));
      journal.note(answer.status, answer.text);
      return answer;
    },
    app() {
      const next = spare ?? startApp();
      // Starting takes longer than a trial: start the next trial's victim meanwhile.
      spare = startApp();
      spare.catch(() => undefined);
      return next;
    },
    async worker() {
      const opened = await victim('server/worker/worker.ts', ports.app);
      await isReady(opened.process, 'worker_ready');
      return opened;
    },
    ...stopwatch(),
    eventually,
    broken: () => brokenNow(database, stack.sandboxUrl, journal),
  };
}

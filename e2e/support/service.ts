import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import type pg from 'pg';
import { afterAll, afterEach } from 'vitest';
import { unlimited } from '../../commands/environment.ts';
import { type TestDatabase, testDatabase } from '../../commands/test-database.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { temporarySandbox } from '../../sandbox/temporary-sandbox.ts';
import type { Configuration } from '../../server/configuration.ts';
import { openRuntime } from '../../server/open-runtime.ts';
import { deleteExpired } from '../../server/purchases/rounds/retention.ts';
import { executeJob } from '../../server/purchases/work/execute.ts';
import type { Runtime } from '../../server/runtime.ts';
import { answerOperation } from '../../server/transports/http.ts';
import { type Checker, openChecker } from '../../server/work-check/checker.ts';
import { Acknowledged } from './acknowledged.ts';
import { takeBackup } from './backup.ts';
import { cardDifferences } from './card-books.ts';
import { chainDifferences } from './chain-books.ts';
import { brokenInvariants } from './invariants.ts';
import { ProvokedProblems } from './provoked.ts';
import { everyRound } from './rounds.ts';
import { type Door, startDoor } from './start-door.ts';
import { startTwin, type Twin, wantsTwin } from './twin.ts';

/** The service as tests use it: real HTTP, real PostgreSQL, the sandbox's chains, and a worker to call. */
export interface Service {
  readonly baseUrl: string;
  readonly runtime: Runtime;
  readonly database: TestDatabase;
  readonly sandbox: Sandbox;
  /** Its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Moves the service's clock; chain and database keep theirs. */
  advanceClock(seconds: number): void;
  /** Runs the job, as a worker does. */
  execute(jobKey: string): Promise<void>;
  /** Runs each of a worker's rounds once: deadlines, open payments, refunds, the chains. */
  sweep(): Promise<void>;
  /** Takes a backup; returns its restore, which voids what buyers were told since. */
  backup(): Promise<() => Promise<void>>;
  /** The violated invariants, by name. */
  broken(): Promise<string[]>;
  deleteExpired(): Promise<void>;
  /** Executes a signed payment, as anyone holding it can. */
  carryOut(signature: string): Promise<void>;
  /** Starts another API process on the same database; `changes` replace environment variables. */
  startDoor(changes?: Readonly<Record<string, string>>): Promise<Door>;
  /** Starts a worker process on the same database; `changes` replace environment variables. */
  startWorker(changes?: Readonly<Record<string, string>>): WorkerProcess;
}

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Its log line `worker_ready`. Rejects when it ends before. */
  readonly ready: Promise<{ time: string }>;
  /** Sends SIGTERM, as a deployment does; resolves to its exit code, null if it was killed. */
  stop(): Promise<number | null>;
}

/**
 * Starts a service for the tests of one file. `environment` replaces variables, and may be a function of the sandbox's
 * addresses. After each test the invariants must hold: of the rows, between books and chains, and of what buyers were
 * told. A file that breaks them on purpose passes `checked: false`, one that looks into this process `alone: true`.
 */
export async function startService(
  environment: Record<string, string> | ((sandbox: Sandbox) => Promise<Record<string, string>>) = {},
  { checked = true, alone = false }: { checked?: boolean; alone?: boolean } = {},
): Promise<Service> {
  const database = await testDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'service-'));
  const sandbox = await temporarySandbox();
  // Never close idle connections: a slow test might be sending on one.
  const server = createServer({ keepAliveTimeout: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const replaced = typeof environment === 'function' ? await environment(sandbox) : environment;
  const env = { ...environmentOf(database.url, port, folder, sandbox), ...replaced };
  const opened = await openRuntime(env, 'web');
  const processes: { stop(): void }[] = [];
  let shiftMs = 0;
  const runtime: Runtime = { ...opened, clock: () => new Date(Date.now() + shiftMs) };
  const checker = checkerFor(runtime.configuration);
  const provoked = new ProvokedProblems();
  const acknowledged = new Acknowledged();
  const broken = () => brokenNow(database.pool, runtime.configuration, sandbox.controlUrl, acknowledged);
  const twin = wantsTwin && !alone ? await startTwin(env) : null;
  const isTwins = turns(twin);
  listenIn(server, { provoked, acknowledged }, (req, res) =>
    twin && isTwins() ? twin.answer(req, res, shiftMs) : answerOperation(runtime, req, res),
  );

  afterEach(async (context) => {
    if (checked) context.expect(await broken()).toEqual([]);
  });
  afterAll(async () => {
    provoked.save();
    for (const process of [...processes, ...(twin ? [twin] : [])]) process.stop();
    server.close();
    server.closeAllConnections();
    if (checker !== warm) await checker.close();
    await runtime.close();
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    runtime,
    database,
    sandbox,
    environment: env,
    advanceClock: (seconds) => {
      shiftMs += seconds * 1000;
    },
    execute: (jobKey) => (twin && isTwins() ? twin.work(jobKey, shiftMs) : executeJob(runtime, checker, jobKey)),
    sweep: () => (twin && isTwins() ? twin.work(null, shiftMs) : everyRound(runtime)),
    async backup() {
      const restore = await takeBackup(database.pool);
      return () => restore().then(() => acknowledged.forget());
    },
    broken,
    deleteExpired: () => deleteExpired(runtime),
    carryOut: (signature) => settleAt(sandbox.facilitatorUrl, signature),
    async startDoor(changes = {}) {
      const door = await startDoor({ ...env, ...changes });
      processes.push({ stop: () => void door.stop() });
      return door;
    },
    startWorker(changes = {}) {
      const { kill, ...worker } = forkWorker({ ...env, ...changes });
      processes.push({ stop: kill });
      return worker;
    },
  };
}

/** The embedded assessor's threads, warm for the next test file of this process. */
let warm: Checker | undefined;

function checkerFor({ assessor }: Configuration): Checker {
  if (assessor.length > 0) return openChecker(assessor);
  warm ??= openChecker([]);
  return warm;
}

/** Starts a worker process, which logs when it is ready. */
export function forkWorker(env: Record<string, string>): WorkerProcess & { kill(): void } {
  const worker = fork(path.join(import.meta.dirname, 'worker.ts'), {
    env: { ...process.env, ...env },
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
  const ready = new Promise<{ time: string }>((resolve, reject) => {
    if (!worker.stderr) throw new Error('the worker has no standard error');
    worker.stderr.pipe(process.stderr);
    createInterface({ input: worker.stderr }).on('line', (line) => {
      if (line.includes('"worker_ready"')) resolve(JSON.parse(line));
    });
    worker.once('exit', () => reject(new Error('the worker ended before it was ready')));
  });
  ready.catch(() => {});
  return {
    pid: worker.pid,
    ready,
    stop: () =>
      new Promise((resolve) => {
        worker.once('exit', resolve);
        worker.kill('SIGTERM');
      }),
    kill: () => void worker.kill('SIGKILL'),
  };
}

/** Executes a signed payment, as anyone holding it can. */
async function settleAt(facilitatorUrl: string, signature: string): Promise<void> {
  const paymentPayload = decodePaymentSignatureHeader(signature);
  await fetch(`${facilitatorUrl}/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: paymentPayload.accepted }),
  });
}

async function brokenNow(
  pool: pg.Pool,
  configuration: Configuration,
  controlUrl: string,
  acknowledged: Acknowledged,
): Promise<string[]> {
  return [
    ...(await brokenInvariants(pool, configuration)),
    ...(await chainDifferences(pool, controlUrl)),
    ...(await cardDifferences(pool, controlUrl)),
    ...(await acknowledged.missing(pool)),
  ];
}

/** Marks every other call as the twin's. */
function turns(twin: Twin | null): () => boolean {
  let calls = 0;
  return () => {
    calls += 1;
    return twin !== null && calls % 2 === 0;
  };
}

/** Records each of the server's answers. */
function listenIn(
  server: Server,
  { provoked, acknowledged }: { provoked: ProvokedProblems; acknowledged: Acknowledged },
  answer: (req: IncomingMessage, res: ServerResponse) => Promise<boolean> | null,
): void {
  server.on('request', async (req, res) => {
    const end = res.end.bind(res);
    res.end = (chunk?: unknown) => {
      const text = textOf(chunk);
      provoked.note(req.method ?? '', req.url ?? '', text);
      acknowledged.note(res.statusCode, text);
      return end(chunk);
    };
    if ((await answer(req, res)) === false) res.writeHead(404).end();
  });
}

/** The text of an answer's body, decompressed. */
function textOf(body: unknown): string {
  const isGzip = Buffer.isBuffer(body) && body[0] === 0x1f && body[1] === 0x8b;
  return String((isGzip ? gunzipSync(body) : body) ?? '');
}

/** The variables of a service that sells by card through the sandbox's Stripe. */
export async function withCard({ stripe }: Sandbox): Promise<Record<string, string>> {
  return {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
  };
}

/** The environment of a service on this port that calls only the sandbox. */
export function environmentOf(
  databaseUrl: string,
  port: number,
  folder: string,
  sandbox: Sandbox,
): Record<string, string> {
  const secret = () => randomBytes(32).toString('base64url');
  return {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    ENVIRONMENT: 'test',
    SECRET_KEY: secret(),
    NEXTAUTH_SECRET: secret(),
    RECEIPT_KEYS_FILE: path.join(folder, 'receipt-keys.json'),
    X402_FACILITATOR_URL: sandbox.facilitatorUrl,
    X402_PAY_TO: sandbox.payTo,
    X402_REFUND_KEY: sandbox.payToKey,
    X402_NETWORKS: 'eip155:84532,eip155:421614',
    X402_RPC_URLS: `84532=${sandbox.rpcUrls[84532]},421614=${sandbox.rpcUrls[421614]}`,
    SMTP_URL: sandbox.smtpUrl,
    MAIL_FROM: 'Work Check <no-reply@work-check.example>',
    ARCHIVE_URL: sandbox.archive.url,
    ARCHIVE_ACCESS_KEY_ID: sandbox.archive.accessKeyId,
    ARCHIVE_SECRET_ACCESS_KEY: sandbox.archive.secretAccessKey,
    STOP_DELAY_SECONDS: '0',
    ...unlimited,
    // All tests share a few cards.
    REMEDIES_MAX: '0',
  };
}

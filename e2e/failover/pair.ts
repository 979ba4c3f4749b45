import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase, databaseUrl, type Postgres, startPostgres } from '../../commands/postgres.ts';
import { freePort } from '../../sandbox/ports.ts';
import { copyBase, writeFor } from '../support/base-copy.ts';

/** A PostgreSQL of the pair, with its data. */
interface Member {
  readonly port: number;
  readonly folder: string;
  readonly postgres: Postgres;
}

const databaseName = 'work_check';
/** The name under which a replica asks for the log. */
const replicaName = 'replica';
const lookEveryMs = 100;
const patienceMs = 30_000;

/**
 * A primary and its synchronous replica, and the supervisor who promotes: what Patroni does in production.
 */
export class Pair {
  readonly #folder: string;
  readonly #ports: readonly [number, number];
  #copies = 0;
  #primary: Member | null = null;
  #replica: Member | null = null;

  private constructor(folder: string, ports: readonly [number, number]) {
    this.#folder = folder;
    this.#ports = ports;
  }

  static async open(): Promise<Pair> {
    const folder = mkdtempSync(path.join(tmpdir(), 'pair-'));
    // When root starts PostgreSQL, it runs as nobody, who must be able to enter.
    chmodSync(folder, 0o755);
    const pair = new Pair(folder, [await freePort(), await freePort()]);
    pair.#primary = await pair.#start(pair.#ports[0], path.join(folder, 'first'));
    await createDatabase(pair.#primary.postgres.url, databaseName);
    return pair;
  }

  /** What the service gets: both servers, whoever of them takes writes. */
  get url(): string {
    return `postgresql://postgres@${this.#ports.map((port) => `127.0.0.1:${port}`).join(',')}/${databaseName}`;
  }

  /** The database on the primary alone. */
  get primaryUrl(): string {
    return urlOf(this.primary);
  }

  get primary(): Member {
    if (!this.#primary) throw new Error('there is no primary');
    return this.#primary;
  }

  get replica(): Member {
    if (!this.#replica) throw new Error('there is no replica');
    return this.#replica;
  }

  /** Copies the primary into a replica on the free port, and waits until commits wait for it. */
  async addReplica(): Promise<void> {
    const [port = 0] = this.#ports.filter((one) => one !== this.primary.port);
    this.#copies += 1;
    const folder = path.join(this.#folder, `copy${this.#copies}`);
    await copyBase(this.primaryUrl, this.primary.folder, folder);
    writeFor(folder, 'standby.signal', '');
    // Not those of the primary: nobody follows a replica.
    writeFor(folder, 'postgresql.auto.conf', '');
    this.#replica = await this.#start(port, folder, {
      primary_conninfo: `host=127.0.0.1 port=${this.primary.port} user=postgres application_name=${replicaName}`,
    });
    await this.#waitFor(replicaName);
    await until(async () => {
      const [row] = await ask(this.primary, 'select sync_state from pg_stat_replication');
      return row?.sync_state === 'sync';
    });
  }

  /** Commits wait for the replica of this name; for none with ''. */
  async #waitFor(name: string): Promise<void> {
    await ask(this.primary, `alter system set synchronous_standby_names = '${name}'`);
    await ask(this.primary, 'select pg_reload_conf()');
  }

  /** The primary's machine is gone, with its data. Returns where these lie, for a machine that comes back. */
  async losePrimary(): Promise<{ port: number; folder: string }> {
    const { port, folder, postgres } = this.primary;
    this.#primary = null;
    await killAll(postgres);
    const lost = `${folder}-lost`;
    renameSync(folder, lost);
    return { port, folder: lost };
  }

  /** The replica becomes the primary, and waits for no other. */
  async promote(): Promise<void> {
    await ask(this.replica, 'select pg_promote(true, 30)');
    this.#primary = this.#replica;
    this.#replica = null;
  }

  /** The replica's machine is gone; the supervisor stops waiting for it after `ms`. */
  async loseReplica(ms: number): Promise<void> {
    const { folder, postgres } = this.replica;
    this.#replica = null;
    await killAll(postgres);
    await sleep(ms);
    await this.#waitFor('');
    rmSync(folder, { recursive: true, force: true });
  }

  /** Starts a primary that was lost, as it was. */
  async bringBack({ port, folder }: { port: number; folder: string }): Promise<Member> {
    rmSync(path.join(folder, 'postmaster.pid'), { force: true });
    return this.#start(port, folder);
  }

  /** Ends a primary that came back, and its data. */
  async sendAway({ folder, postgres }: Member): Promise<void> {
    await killAll(postgres);
    rmSync(folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const member of [this.#replica, this.#primary]) if (member) await killAll(member.postgres);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(port: number, folder: string, settings: Record<string, string> = {}): Promise<Member> {
    const kept = { wal_keep_size: '512MB', max_wal_size: '1GB', ...settings };
    return { port, folder, postgres: await startPostgres({ dataDir: folder, port, durable: true, settings: kept }) };
  }
}

/** The service's database on one server. */
export function urlOf({ postgres }: Member): string {
  return databaseUrl(postgres.url, databaseName);
}

/** Rows of one statement on one server. */
export async function ask(member: Member, statement: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: urlOf(member) });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

export async function until(holds: () => Promise<boolean>, ms = patienceMs): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${holds}`);
    await sleep(lookEveryMs);
  }
}

/** kill -9 of the server and its backends, which are sessions of their own. */
async function killAll({ pid, ended }: Postgres): Promise<void> {
  const backends = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const one of [pid ?? 0, ...backends]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await ended;
}

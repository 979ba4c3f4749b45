import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { migrate } from '../../commands/migrate.ts';
import { freePort } from '../../sandbox/ports.ts';
import { temporarySandbox } from '../../sandbox/temporary-sandbox.ts';
import { openDatabase } from '../../server/kernel/database.ts';
import { sql } from '../../server/kernel/sql.ts';
import { Acknowledged } from '../support/acknowledged.ts';
import { chainDifferences } from '../support/chain-books.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { environmentOf, forkWorker } from '../support/service.ts';
import { startDoor } from '../support/start-door.ts';
import { Buyers } from './buyers.ts';
import { ask, Pair, until, urlOf } from './pair.ts';

/** What is promised: purchases go on within this time after a machine is lost. */
const promisedMs = 30_000;
/** How soon a supervisor notices that a machine is lost. */
const noticedMs = 1_000;
const buyerCount = 3;

/** What was seen of one loss. */
export interface Lost {
  what: 'primary' | 'replica';
  /** From the loss to the first report of a purchase that was begun after it. */
  goneOnMs: number;
}

/** The service on a pair of PostgreSQL servers, under buyers. */
export class Failover {
  readonly #pair: Pair;
  readonly #journal: Acknowledged;
  readonly #controlUrl: string;
  readonly #buyers: Buyers;
  readonly #close: () => Promise<void>;

  private constructor(
    pair: Pair,
    buyers: Buyers,
    { journal, controlUrl, close }: { journal: Acknowledged; controlUrl: string; close: () => Promise<void> },
  ) {
    this.#pair = pair;
    this.#journal = journal;
    this.#controlUrl = controlUrl;
    this.#buyers = buyers;
    this.#close = close;
  }

  /** Two servers, two web processes, two workers, three buyers. */
  static async open(): Promise<Failover> {
    const pair = await Pair.open();
    const sandbox = await temporarySandbox();
    const folder = mkdtempSync(path.join(tmpdir(), 'failover-'));
    await migrate(pair.url);
    await pair.addReplica();
    const env = environmentOf(pair.url, await freePort(), folder, sandbox);
    // One after the other: the first makes the keys that sign receipts.
    const doors = [await startDoor(env), await startDoor(env)];
    const workers = [forkWorker(env), forkWorker(env)];
    await Promise.all(workers.map(({ ready }) => ready));
    const journal = new Acknowledged();
    const buyers = new Buyers(
      doors.map(({ baseUrl }) => baseUrl),
      sandbox.controlUrl,
      journal,
      buyerCount,
    );
    const close = async () => {
      for (const one of [...doors, ...workers]) await one.stop();
      await sandbox.stop();
      await pair.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return new Failover(pair, buyers, { journal, controlUrl: sandbox.controlUrl, close });
  }

  get bought(): number {
    return this.#buyers.bought.length;
  }

  /** How often a buyer was told to come back later. */
  get later(): number {
    return this.#buyers.later;
  }

  /** Loses the primary at a random moment of the purchases, and its data; the replica takes over. */
  async losePrimary(): Promise<Lost> {
    await this.#randomMoment();
    const lostAt = performance.now();
    const lost = await this.#pair.losePrimary();
    await sleep(noticedMs);
    await this.#pair.promote();
    const goneOnMs = await this.#goneOnAfter(lostAt);
    await this.#expectAcknowledged();
    await this.#comeBack(lost);
    await this.#pair.addReplica();
    return { what: 'primary', goneOnMs };
  }

  async loseReplica(): Promise<Lost> {
    await this.#randomMoment();
    const lostAt = performance.now();
    await this.#pair.loseReplica(noticedMs);
    const goneOnMs = await this.#goneOnAfter(lostAt);
    await this.#pair.addReplica();
    return { what: 'replica', goneOnMs };
  }

  /** The former primary comes back, takes writes for itself, and must get none. */
  async #comeBack(lost: { port: number; folder: string }): Promise<void> {
    const former = await this.#pair.bringBack(lost);
    const count = this.bought;
    // By another text each time: what a process has seen at one it believes for ten seconds.
    const opened = await portFor(`${this.#pair.url}?begun=${performance.now()}`);
    expect(opened, 'a process that starts now finds the new primary').toBe(this.#pair.primary.port);
    await until(async () => this.bought > count + 1);
    const [seen] = await ask(
      former,
      `select count(*)::int as served from pg_stat_activity
      where application_name in ('work-check web', 'work-check worker')`,
    );
    expect(seen?.served, 'connections of the service to the former primary').toBe(0);
    await expectNoCommit(urlOf(former));
    await this.#pair.sendAway(former);
  }

  async #randomMoment(): Promise<void> {
    const count = this.bought;
    await until(async () => this.bought > count, 60_000);
    await sleep(Math.random() * 1_500);
  }

  async #goneOnAfter(lostAt: number): Promise<number> {
    const next = () => this.#buyers.bought.find(({ begun }) => begun > lostAt);
    await until(async () => next() !== undefined, promisedMs);
    return (next()?.done ?? 0) - lostAt;
  }

  async #expectAcknowledged(): Promise<void> {
    await this.#onPrimary(async (pool) => expect(await this.#journal.missing(pool)).toEqual([]));
  }

  /** Stops the buyers, and holds what they were told, the books and the chains against each other. */
  async end(): Promise<void> {
    await this.#buyers.stop();
    await this.#onPrimary(async (pool) => {
      const { rows } = await pool.query(
        `select count(*)::int as jobs, count(*) filter (where payment_state = 'collected')::int as collected from jobs`,
      );
      const bought = new Set(this.#buyers.bought.map(({ jobKey }) => jobKey)).size;
      expect(rows[0]).toEqual({ jobs: bought, collected: bought });
      expect(await this.#journal.missing(pool)).toEqual([]);
      expect(await brokenInvariants(pool)).toEqual([]);
      await expect.poll(() => chainDifferences(pool, this.#controlUrl), { timeout: 20_000 }).toEqual([]);
    });
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #onPrimary(work: (pool: pg.Pool) => Promise<void>): Promise<void> {
    const pool = new pg.Pool({ connectionString: this.#pair.primaryUrl });
    pool.on('error', () => {});
    try {
      await work(pool);
    } finally {
      await pool.end();
    }
  }
}

/** The port of the server that who opens this address gets. */
async function portFor(url: string): Promise<number> {
  const db = openDatabase(url, { connections: 1, name: 'a new process' });
  try {
    return (await db.one<{ port: number }>(sql`select inet_server_port() as port`)).port;
  } finally {
    await db.end();
  }
}

/** A commit on the former primary waits for a replica that no longer follows it, and is never acknowledged. */
async function expectNoCommit(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'a commit astray' });
  client.on('error', () => {});
  await client.connect();
  await client.query(`set synchronous_commit = remote_apply`);
  const committed = client.query('create table astray (one int)').then(
    () => 'acknowledged',
    () => 'cut',
  );
  expect(await Promise.race([committed, sleep(1_500, 'waits')])).toBe('waits');
  void client.end().catch(() => {});
}

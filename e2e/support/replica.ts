import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { databaseUrl, startPostgres } from '../../commands/postgres.ts';
import { freePort } from '../../sandbox/ports.ts';
import { copyBase, writeFor } from './base-copy.ts';

/** A streaming replica of a whole PostgreSQL server. */
export interface ReplicaServer {
  readonly port: number;
  /** Shows nothing that is written from now on. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Takes writes from now on, for itself alone. */
  promote(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it, and deletes its data. */
  remove(): Promise<void>;
}

/** Copies the server at `url`, which goes on running, into a replica that follows it; `url` is a superuser's. */
export async function startReplica(url: string): Promise<ReplicaServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'replica-'));
  // When root starts PostgreSQL, it runs as nobody, who must be able to enter.
  chmodSync(folder, 0o755);
  const data = path.join(folder, 'data');
  const [shown] = await ask(url, 'show data_directory');
  await copyBase(url, shown?.data_directory ?? '', data);
  writeFor(data, 'standby.signal', '');
  const port = await freePort();
  const primary = new URL(url);
  const settings = { primary_conninfo: `host=${primary.hostname} port=${primary.port} user=${primary.username}` };
  const open = () => startPostgres({ dataDir: data, port, durable: false, settings });
  let server = await open();
  const tell = (statement: string) => ask(databaseUrl(server.url, 'postgres'), statement).then(() => {});
  return {
    port,
    pause: () => tell('select pg_wal_replay_pause()'),
    resume: () => tell('select pg_wal_replay_resume()'),
    promote: () => tell('select pg_promote(true, 30)'),
    stop: () => server.stop(),
    async start() {
      server = await open();
    },
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(url: string, statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

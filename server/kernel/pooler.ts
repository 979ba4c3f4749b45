import type pg from 'pg';
import { ConfigurationError } from './configuration-error.ts';
import { sessionOptions, settings } from './database.ts';
import { SteadyClient } from './postgres/steady-client.ts';

/** Comparisons: a busy pooler may give two connections different sessions by chance. */
const comparisons = 5;

/**
 * Refuses a pooler in transaction mode, such as PgBouncer with `pool_mode = transaction`: prepared statements,
 * settings, LISTEN and advisory locks belong to a session, and would end up in another client's. Two open connections
 * have two sessions, unless a pooler shares one between them. Refuses one that drops the settings of a session, too: a
 * lock would be waited for without end.
 *
 * @throws {ConfigurationError} when `databaseUrl` leads to one
 */
export async function requireOwnConnections(databaseUrl: string): Promise<void> {
  const connections = [1, 2].map(() => new SteadyClient({ connectionString: databaseUrl, options: sessionOptions }));
  for (const connection of connections) connection.on('error', () => {});
  try {
    for (const connection of connections) await connection.connect().catch(asUnsupported);
    for (let round = 0; round < comparisons; round += 1) {
      const sessions: unknown[] = [];
      for (const connection of connections) {
        const { rows } = await connection.query('select pg_backend_pid() as session');
        sessions.push(rows[0].session);
      }
      if (sessions[0] === sessions[1]) {
        throw new ConfigurationError(
          'DATABASE_URL leads to a pooler in transaction mode, which mixes up sessions: use PostgreSQL itself, or a ' +
            'pooler in session mode',
        );
      }
    }
    await requireSettings(connections[0]);
  } finally {
    await Promise.allSettled(connections.map((connection) => connection.end()));
  }
}

const dropsSettings = new ConfigurationError(
  'DATABASE_URL leads to a pooler that takes no settings: docs/operating.md, Database, says how to give them to the role',
);

/** PgBouncer's answer to settings, unless it is told to ignore them. */
function asUnsupported(error: Error): never {
  throw /unsupported startup parameter/.test(error.message) ? dropsSettings : error;
}

/** A lost setting of these loses money; that of plans only time. */
const needed = Object.entries(settings).filter(([name]) => name !== 'plan_cache_mode');

async function requireSettings(connection: pg.Client | undefined): Promise<void> {
  for (const [name, value] of needed) {
    const answer = await connection?.query('select setting from pg_settings where name = $1', [name]);
    if (answer?.rows[0]?.setting !== String(value)) throw dropsSettings;
  }
}

import pg from 'pg';
import { ConfigurationError } from './configuration-error.ts';

/** Comparisons: a busy pooler may give two connections different sessions by chance. */
const comparisons = 5;

/**
 * Refuses a pooler in transaction mode, such as PgBouncer with `pool_mode = transaction`: prepared statements,
 * settings, LISTEN and advisory locks belong to a session, and would end up in another client's. Two open connections
 * have two sessions, unless a pooler shares one between them.
 *
 * @throws {ConfigurationError} when `databaseUrl` leads to one
 */
export async function requireOwnConnections(databaseUrl: string): Promise<void> {
  const connections = [1, 2].map(() => new pg.Client({ connectionString: databaseUrl }));
  for (const connection of connections) connection.on('error', () => {});
  try {
    for (const connection of connections) await connection.connect();
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
  } finally {
    await Promise.allSettled(connections.map((connection) => connection.end()));
  }
}

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { Configuration } from './configuration.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { jsonService } from './kernel/json-http.ts';
import { errorFields, log } from './kernel/log.ts';

/** Statements use `old` in RETURNING, which is new in this version. */
const postgresMin = 18;
const migrations = path.resolve(import.meta.dirname, '../prisma/migrations');

/**
 * Checks the database, and in production the chains, against the environment. Throws `ConfigurationError` with a
 * sentence per fault. Tolerates a chain that does not answer, because reports need none; `strict`, for checks before a
 * deployment, reports it.
 */
export async function requireSurroundings(
  { databaseUrl, environment, x402 }: Configuration,
  { strict = false } = {},
): Promise<void> {
  const chains =
    environment === 'live' && x402 ? x402.networks.map((network) => [network, x402.rpcUrls[network]] as const) : [];
  const faults = await Promise.all([
    databaseFault(databaseUrl),
    ...chains.map(([network, url]) => chainFault(network, url ?? '', strict)),
  ]);
  const found = faults.filter((fault) => fault !== null);
  if (found.length > 0) throw new ConfigurationError(found.join('\n'));
}

async function databaseFault(connectionString: string): Promise<string | null> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  // Ignore errors of idle connections; the next query reports them.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number; history: boolean }>(
      `select current_setting('server_version_num')::int / 10000 as version,
        to_regclass('_prisma_migrations') is not null as history`,
    );
    const [{ version, history } = { version: 0, history: false }] = rows;
    if (version < postgresMin) return `DATABASE_URL leads to PostgreSQL ${version}: ${postgresMin} or newer is needed`;
    const missing = history ? await missingMigrations(client) : null;
    if (missing === null) return 'DATABASE_URL leads to a database that was never migrated: npm run migrate';
    return missing > 0 ? `The database lacks ${missing} migrations: npm run migrate` : null;
  } catch (error) {
    return `DATABASE_URL cannot be reached: ${error instanceof Error && error.message ? error.message : 'no answer'}`;
  } finally {
    await client.end().catch(() => {});
  }
}

async function missingMigrations(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null`,
  );
  const applied = new Set(rows.map(({ name }) => name));
  const entries = await readdir(migrations, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !applied.has(entry.name)).length;
}

async function chainFault(network: string, url: string, strict: boolean): Promise<string | null> {
  try {
    const chainId = await chainIdAt(url);
    return `eip155:${chainId}` === network ? null : `X402_RPC_URLS for ${network} leads to the chain ${chainId}`;
  } catch (error) {
    if (strict) return `X402_RPC_URLS for ${network} does not answer`;
    log('chain_not_asked', { network, ...errorFields(error) });
    return null;
  }
}

async function chainIdAt(url: string): Promise<number> {
  const { result } = (await jsonService(url, 5_000).call('', {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_chainId',
    params: [],
  })) as { result: string };
  return Number(result);
}

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import Stripe from 'stripe';
import type { CardConfiguration } from './configuration/card.ts';
import type { Configuration } from './configuration.ts';
import { systemClock } from './kernel/clock.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { openDatabase, sqlState } from './kernel/database.ts';
import { skewMaxSeconds } from './kernel/database-clock.ts';
import { jsonService } from './kernel/json-http.ts';
import { errorFields, log } from './kernel/log.ts';
import { SteadyClient } from './kernel/postgres/steady-client.ts';
import { accountInUse, accountOfKey, keepFirstAccount } from './payments/card/account.ts';
import { currenciesHeld } from './payments/card/currencies.ts';
import { type CardProvider, openCardProvider } from './payments/card/provider.ts';
import { readsWarnings } from './payments/card/warnings.ts';

/** Statements use `old` in RETURNING, which is new in this version. */
const postgresMin = 18;
const migrations = path.resolve(import.meta.dirname, '../prisma/migrations');

/** Something outside that cannot be used now and may be later, by itself or by a command. */
interface Absent {
  sentence: string;
  /** A start waits for the database, and not for a chain: reports need none. */
  isDatabase: boolean;
}
type Fault = { wrong: string } | Absent;

/** How often a start looks again. */
const lookAgainMs = 1_000;

/**
 * Compares the database, and in production the chains and the account at Stripe, with the environment. `wrong` is what
 * only another environment mends: an old PostgreSQL, a refused password, another chain, an account in another currency or
 * another than before.
 * `absent` is what is not there now: a database that does not answer or lacks migrations, a silent chain. A start `keeps`
 * the first account at Stripe, a check of the environment writes nothing.
 */
export async function lookAround(
  configuration: Pick<Configuration, 'databaseUrl' | 'replica' | 'environment' | 'x402' | 'card'>,
  { keeps = false } = {},
): Promise<{ wrong: string[]; absent: Absent[] }> {
  const { databaseUrl, replica, environment, x402, card } = configuration;
  const chains =
    environment === 'live' && x402 ? x402.networks.map((network) => [network, x402.rpcUrls[network]] as const) : [];
  const faults = await Promise.all([
    databaseFault(databaseUrl),
    ...(replica ? [replicaFault(replica.url)] : []),
    ...chains.map(([network, url]) => chainFault(network, url ?? '')),
    ...(environment === 'live' && card.mode === 'live' ? [cardFault(card, databaseUrl, keeps)] : []),
  ]);
  const found = faults.filter((fault) => fault !== null);
  return {
    wrong: found.flatMap((fault) => ('wrong' in fault ? [fault.wrong] : [])),
    absent: found.filter((fault) => 'sentence' in fault),
  };
}

/** Waits until the database is there and migrated. Throws `ConfigurationError` with a sentence per wrong variable. */
export async function awaitSurroundings(configuration: Configuration): Promise<void> {
  for (let told = ''; ; await sleep(lookAgainMs)) {
    const { wrong, absent } = await lookAround(configuration, { keeps: true });
    if (wrong.length > 0) throw new ConfigurationError(wrong.join('\n'));
    const [missing] = absent.filter(({ isDatabase }) => isDatabase);
    if (!missing) return;
    if (missing.sentence !== told) log('start_waits', { for: missing.sentence });
    told = missing.sentence;
  }
}

async function databaseFault(connectionString: string): Promise<Fault | null> {
  const absent = (sentence: string): Absent => ({ sentence, isDatabase: true });
  const client = new SteadyClient({ connectionString, connectionTimeoutMillis: 10_000 });
  // Ignore errors of idle connections; the next query reports them.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number; history: boolean; at: Date; is_closed?: boolean }>(
      `select current_setting('server_version_num')::int / 10000 as version,
        to_regclass('_prisma_migrations') is not null as history, clock_timestamp() as at,
        current_setting('transaction_read_only') = 'on' as is_closed`,
    );
    const [{ version, history, at, is_closed: isClosed } = { version: 0, history: false, at: systemClock() }] = rows;
    if (version < postgresMin) {
      return { wrong: `DATABASE_URL leads to PostgreSQL ${version}: ${postgresMin} or newer is needed` };
    }
    if (isClosed) return absent('DATABASE_URL leads to a server that takes no writes: a replica, or a closed one');
    const skewSeconds = Math.round((systemClock().getTime() - at.getTime()) / 1_000);
    if (Math.abs(skewSeconds) > skewMaxSeconds) {
      return absent(`The clock of this machine is ${skewSeconds} s ahead of the database's: set it right`);
    }
    const missing = history ? await missingMigrations(client) : null;
    if (missing === null) return absent('DATABASE_URL leads to a database that was never migrated: npm run migrate');
    return missing > 0 ? absent(`The database lacks ${missing} migrations: npm run migrate`) : null;
  } catch (error) {
    const why = error instanceof Error && error.message ? error.message : 'no answer';
    return isRefusal(error)
      ? { wrong: `DATABASE_URL is refused: ${why}` }
      : absent(`DATABASE_URL cannot be reached: ${why}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Nothing about it is wrong for good: a replica comes back, and one that was promoted is the primary. */
async function replicaFault(connectionString: string): Promise<Absent | null> {
  const absent = (sentence: string): Absent => ({ sentence, isDatabase: false });
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('select pg_is_in_recovery() as follows');
    return rows[0].follows ? null : absent('DATABASE_READ_URL leads to no replica: the primary reads in its place');
  } catch (error) {
    const why = error instanceof Error && error.message ? error.message : 'no answer';
    return absent(`DATABASE_READ_URL cannot be reached: ${why}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Whether PostgreSQL refuses who asks (class 28), has no such database (3D000), or the driver does not get on with it
 * about passwords or TLS: time mends none of these.
 */
function isRefusal(error: unknown): boolean {
  const { message = '' } = (error ?? {}) as Partial<Error>;
  return /^(?:28|3D000)/.test(sqlState(error) ?? '') || /^(?:SASL:|The server does not support SSL)/.test(message);
}

async function missingMigrations(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null`,
  );
  const applied = new Set(rows.map(({ name }) => name));
  const entries = await readdir(migrations, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !applied.has(entry.name)).length;
}

async function chainFault(network: string, url: string): Promise<Fault | null> {
  try {
    const chainId = await chainIdAt(url);
    return `eip155:${chainId}` === network
      ? null
      : { wrong: `X402_RPC_URLS for ${network} leads to the chain ${chainId}` };
  } catch (error) {
    log('chain_not_asked', { network, ...errorFields(error) });
    return { sentence: `X402_RPC_URLS for ${network} does not answer`, isDatabase: false };
  }
}

async function chainIdAt(url: string): Promise<number> {
  const { result } = (await jsonService('chain', url, 5_000).call('', {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_chainId',
    params: [],
  })) as { result: string };
  return Number(result);
}

async function cardFault(card: CardConfiguration, databaseUrl: string, keeps: boolean): Promise<Fault | null> {
  const provider = openCardProvider(card);
  try {
    const wrong = (await currencyFault(provider)) ?? (await accountFault(provider, databaseUrl, keeps));
    return wrong ?? ((await readsWarnings(provider)) ? null : { sentence: unwarned, isDatabase: false });
  } catch (error) {
    log('card_not_asked', errorFields(error));
    // A key that ended overnight must not keep a process from coming back: stablecoins and reports need no Stripe.
    const isRefused = error instanceof Stripe.errors.StripeAuthenticationError;
    const sentence = isRefused
      ? 'STRIPE_SECRET_KEY is refused by Stripe: nothing is sold by card, and nothing goes back to cards, until another is set'
      : 'STRIPE_SECRET_KEY could not be tried at Stripe';
    return { sentence, isDatabase: false };
  }
}

const unwarned =
  'STRIPE_SECRET_KEY may not read early fraud warnings: what banks report as fraud is kept until they dispute it, at a fee';

/** Fees come in the currency that the account settles in, and the books have one alone. */
async function currencyFault(provider: CardProvider): Promise<Fault | null> {
  const held = await currenciesHeld(provider).catch((error) => {
    // A restricted key may not read the balance.
    if (error instanceof Stripe.errors.StripePermissionError) return ['usd'];
    throw error;
  });
  if (held.includes('usd')) return null;
  return {
    wrong: `STRIPE_SECRET_KEY is of an account that settles in ${held.join(', ').toUpperCase()}: fees are booked in USD alone`,
  };
}

/** Another account knows none of the cards that are kept, and gives nothing back that was paid over the former. */
async function accountFault(provider: CardProvider, databaseUrl: string, keeps: boolean): Promise<Fault | null> {
  const account = await accountOfKey(provider);
  if (account === null) return null;
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    if (keeps) await keepFirstAccount(db, account, systemClock());
    const inUse = (await accountInUse(db)) ?? account;
    if (inUse === account) return null;
    return {
      wrong: `STRIPE_SECRET_KEY is of the account ${account} at Stripe, and this service sells over ${inUse}: kept cards and open refunds are there. Set a key of ${inUse}, or accept the change: npm run card-account -- ${account} REASON`,
    };
  } catch (error) {
    // A database that is away, or lacks the table, is told of beside this.
    log('card_account_not_compared', errorFields(error));
    return null;
  } finally {
    await db.end();
  }
}

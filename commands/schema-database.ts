import { randomUUID } from 'node:crypto';
import {
  type ColumnType,
  ColumnTypeEnum,
  type ConnectionInfo,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

/**
 * PostgreSQL for Prisma's schema engine: catalog queries, whole scripts and a shadow database. `@prisma/adapter-pg`
 * cannot do this: it does not know the catalog's `"char"`, it splits scripts at every semicolon (also inside function
 * bodies), and its shadow database is the main one when both come by URL.
 */
const IDENTITY = { provider: 'postgres', adapterName: 'schema-database' } as const;
const MAX_CONNECTIONS = 4;
const SCHEMA_PARAMETER = 'schema';

/** Object ids of the types in catalog and history queries; all others travel as text. */
const COLUMN_TYPES = new Map<number, ColumnType>([
  [16, ColumnTypeEnum.Boolean],
  [18, ColumnTypeEnum.Character],
  [20, ColumnTypeEnum.Int64],
  [21, ColumnTypeEnum.Int32],
  [23, ColumnTypeEnum.Int32],
  [26, ColumnTypeEnum.Int64],
  [700, ColumnTypeEnum.Float],
  [701, ColumnTypeEnum.Double],
  [1002, ColumnTypeEnum.CharacterArray],
  [1003, ColumnTypeEnum.TextArray],
  [1005, ColumnTypeEnum.Int32Array],
  [1007, ColumnTypeEnum.Int32Array],
  [1009, ColumnTypeEnum.TextArray],
  [1015, ColumnTypeEnum.TextArray],
  [1016, ColumnTypeEnum.Int64Array],
  [1028, ColumnTypeEnum.Int64Array],
  [1114, ColumnTypeEnum.DateTime],
  [1184, ColumnTypeEnum.DateTime],
  [1700, ColumnTypeEnum.Numeric],
]);
const TIMESTAMP_TYPES = [1114, 1184];

/** Connects the schema engine to `url`, and to a shadow database that it may empty and fill. */
export class SchemaDatabase implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = IDENTITY.provider;
  readonly adapterName = IDENTITY.adapterName;
  readonly #url: string | undefined;
  readonly #shadowUrl: string | undefined;

  constructor(url: string | undefined, shadowUrl: string | undefined) {
    this.#url = url;
    this.#shadowUrl = shadowUrl;
  }

  async connect(): Promise<SqlDriverAdapter> {
    return new Connection(this.#requireUrl());
  }

  /** Empties and uses the configured shadow database, or creates one that is dropped with the connection. */
  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    if (this.#shadowUrl !== undefined) {
      const shadow = new Connection(this.#shadowUrl);
      await shadow.executeScript('drop schema public cascade; create schema public;');
      return shadow;
    }
    const url = this.#requireUrl();
    const name = `prisma_migrate_shadow_db_${randomUUID()}`;
    await asAdmin(url, (admin) => admin.query(`create database ${admin.escapeIdentifier(name)}`));
    return new Connection(withDatabase(url, name), async () => {
      await asAdmin(url, (admin) => admin.query(`drop database ${admin.escapeIdentifier(name)} with (force)`));
    });
  }

  #requireUrl(): string {
    if (this.#url === undefined) throw new Error('The datasource has no URL.');
    return this.#url;
  }
}

/** Throws the driver's error when the database does not answer. */
export async function canConnect(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: withoutSchema(url) });
  await client.connect();
  await client.end();
}

/** Creates the database that the URL names unless it exists; returns its name. */
export async function createDatabase(url: string): Promise<string> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await asAdmin(url, async (admin) => {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await admin.query(`create database ${admin.escapeIdentifier(name)}`);
  });
  return name;
}

class Queryable {
  readonly provider = IDENTITY.provider;
  readonly adapterName = IDENTITY.adapterName;
  readonly #client: pg.Pool | pg.PoolClient;

  constructor(client: pg.Pool | pg.PoolClient) {
    this.#client = client;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const { fields, rows } = await this.#run(query);
    return {
      columnNames: fields.map((field) => field.name),
      columnTypes: fields.map((field) => COLUMN_TYPES.get(field.dataTypeID) ?? ColumnTypeEnum.Text),
      rows,
    };
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.#run(query)).rowCount ?? 0;
  }

  async executeScript(script: string): Promise<void> {
    await this.#client.query(script).catch(rethrow);
  }

  #run({ sql, args }: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    return this.#client
      .query<unknown[]>({ text: sql, values: args, rowMode: 'array', types: { getTypeParser } })
      .catch(rethrow);
  }
}

class Connection extends Queryable implements SqlDriverAdapter {
  readonly #pool: pg.Pool;
  readonly #schemaName: string;
  readonly #afterwards: () => Promise<void>;

  constructor(url: string, afterwards: () => Promise<void> = async () => undefined) {
    const pool = new pg.Pool({ connectionString: withoutSchema(url), max: MAX_CONNECTIONS });
    super(pool);
    // An idle connection is cut when its database is dropped; the next query reports it.
    pool.on('error', () => undefined);
    this.#pool = pool;
    this.#schemaName = new URL(url).searchParams.get(SCHEMA_PARAMETER) ?? 'public';
    this.#afterwards = afterwards;
  }

  async startTransaction(): Promise<Transaction> {
    const client = await this.#pool.connect().catch(rethrow);
    await client.query('begin').catch(rethrow);
    return new OpenTransaction(client);
  }

  getConnectionInfo(): ConnectionInfo {
    return { schemaName: this.#schemaName, supportsRelationJoins: true };
  }

  async dispose(): Promise<void> {
    await this.#pool.end();
    await this.#afterwards();
  }
}

/** The engine sends `COMMIT` and `ROLLBACK` itself (no phantom query), so these only release the connection. */
class OpenTransaction extends Queryable implements Transaction {
  readonly options = { usePhantomQuery: false };
  readonly #connection: pg.PoolClient;

  constructor(connection: pg.PoolClient) {
    super(connection);
    this.#connection = connection;
  }

  async commit(): Promise<void> {
    this.#connection.release();
  }

  async rollback(): Promise<void> {
    this.#connection.release();
  }
}

/** Timestamps reach the engine as RFC 3339; everything else as the driver parses it. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid: number) => {
  if (!TIMESTAMP_TYPES.includes(oid)) return pg.types.getTypeParser(oid, 'text');
  return (value: string) => {
    const instant = value.replace(' ', 'T');
    return /[+-]\d{2}$/.test(instant) ? `${instant}:00` : oid === 1114 ? `${instant}Z` : instant;
  };
};

function rethrow(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const message = error.message || 'The connection failed.';
  if (!(error instanceof pg.DatabaseError)) throw new DriverAdapterError({ kind: 'DatabaseNotReachable' });
  const { code = 'N/A', severity = 'ERROR', detail, column, hint } = error;
  if (code === '3D000') throw new DriverAdapterError({ kind: 'DatabaseDoesNotExist' });
  if (code === '28P01') throw new DriverAdapterError({ kind: 'AuthenticationFailed' });
  throw new DriverAdapterError({
    kind: 'postgres',
    code,
    severity,
    message,
    detail,
    column,
    hint,
    originalCode: code,
    originalMessage: message,
  });
}

async function asAdmin<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: withoutSchema(withDatabase(url, 'postgres')) });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function withoutSchema(url: string): string {
  const changed = new URL(url);
  changed.searchParams.delete(SCHEMA_PARAMETER);
  return changed.href;
}

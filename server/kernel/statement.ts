import pg from 'pg';
import type { Sql } from './sql.ts';

/** What a statement came to. */
export interface Answer {
  rows: unknown[];
  /** PostgreSQL's word for what was done: `COMMIT`, `INSERT 0 1` … */
  tag: string;
}

type Parse = (text: string) => unknown;

/** The columns of a prepared statement: what to call them, and how to read their values. */
interface Columns {
  names: readonly string[];
  parsers: readonly Parse[];
}

const oidInt8 = 20;
const oidDate = 1082;

/** `bigint` columns are BigInt (money must not pass through a float); a `date` stays `YYYY-MM-DD`. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === oidInt8) return (value: string) => BigInt(value);
    if (oid === oidDate) return (value: string) => value;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/** A connection of the driver, with the texts of the statements prepared on it, by name. */
type Connection = pg.Connection & Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>>;

const columnsOf = new WeakMap<Connection, Map<string, Columns>>();
const noColumns: Columns = { names: [], parsers: [] };

/** `Execute` for all rows of the unnamed portal and `Sync` (PostgreSQL 18, 54.7), which are always the same bytes. */
const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

type Callback = (error: Error | null, answer: Answer) => void;

/**
 * A statement on its way through a connection, in place of the driver's own, which asks for the columns of a prepared
 * statement at each execution: that costs a quarter of a small one. This asks once a connection.
 */
export class Statement extends pg.Query {
  /** What the driver reads. */
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly callback: Callback;
  readonly #answer: Answer = { rows: [], tag: '' };
  #columns = noColumns;
  /** Where the columns are kept when they come. */
  #kept: Map<string, Columns> | undefined;
  #unreadable: Error | undefined;

  constructor({ name, text, values }: Partial<Sql> & Pick<Sql, 'text'>, callback: Callback) {
    super(text);
    this.name = name;
    this.text = text;
    this.values = values ?? [];
    this.callback = callback;
  }

  /** Sends what the driver sends for a statement with a name or values. It does so when it is this one's turn. */
  prepare(connection: Connection): void {
    const { name = '', text } = this;
    const values = this.values.map(parameter);
    const { parsedStatements, submittedNamedStatements } = connection;
    let kept = columnsOf.get(connection);
    if (!kept) {
      kept = new Map();
      columnsOf.set(connection, kept);
    }
    // What is prepared without a name lasts until the next.
    if (!name || (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined)) {
      kept.delete(name);
      connection.parse({ name, text, types: [] }, false);
      if (name) submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values }, false);
    const known = kept.get(name);
    if (known) this.#columns = known;
    else {
      if (name) this.#kept = kept;
      connection.describe({ type: 'P' }, false);
    }
    connection.stream.write(executeAndSync);
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as Parse),
    };
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { names, parsers } = this.#columns;
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < fields.length; index += 1) {
        const value = fields[index] ?? null;
        row[names[index] as string] = value === null ? null : (parsers[index] as Parse)(value);
      }
    } catch (error) {
      this.#unreadable = error as Error;
    }
    this.#answer.rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#answer.tag = text;
    // Nothing is said of the columns of a statement that has none.
    if (this.name) this.#kept?.set(this.name, this.#columns);
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable ?? null, this.#answer);
  }
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils;

/** A value as it is sent. The driver writes instants in local time, which takes longer. */
function parameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : prepareValue(value);
}

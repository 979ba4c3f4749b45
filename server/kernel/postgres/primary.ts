import pg from 'pg';
import { log } from '../log.ts';

/**
 * How to find, among several addresses of one database, the server that takes writes: libpq's
 * `target_session_attrs=read-write`, which `pg` does not know. Each promotion of a replica begins a new timeline, so of
 * two servers that take writes the one on the newer timeline is right, and the other is a former primary that came back.
 */

/** An answer that takes longer is none. */
const answerMaxMs = 2_000;
/** How often to look for a newer timeline while connections are open. */
const lookEveryMs = 5_000;
/** What was seen longer ago is not believed. */
const believedMs = 2 * lookEveryMs;

/** The timeline of a server that takes writes; null of one that does not. */
const timelineOf = `select case when pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' then null
  else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`;

/** Where writes go. */
export interface Primary {
  readonly url: string;
  readonly timeline: number;
}

/** No server that was named takes writes. */
export class NoPrimary extends Error {}

/** An open connection, as far as this file needs to know it. */
interface Held {
  /** Ends it at once; its statements fail. */
  cut(reason: Error): void;
}

/**
 * The addresses of `postgresql://user:password@one:5432,two:5433/database`, one server each. A single one is left as it
 * is.
 */
export function addressesIn(url: string): string[] {
  const [, scheme = '', who = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${scheme}${who}${host.trim()}${rest}`) : [url];
}

/** The servers of one database, of which one takes writes. All pools of a process share what is known of them. */
export class Servers {
  readonly #addresses: readonly string[];
  readonly #held = new Map<Held, Primary>();
  #known: Primary | null = null;
  #seenAt = 0;
  #newest = 0;
  #looking: Promise<Primary> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
  }

  /** One of them: all have the same user, database and settings. */
  get any(): string {
    return this.#addresses[0] ?? '';
  }

  /** The server that takes writes, as seen lately, else now. Throws `NoPrimary`. */
  primary(): Promise<Primary> {
    const isFresh = performance.now() - this.#seenAt < believedMs;
    return this.#known && isFresh ? Promise.resolve(this.#known) : this.#look();
  }

  /** It could not be reached, or takes no writes any more: look anew. */
  forget({ url }: Primary): void {
    if (this.#known?.url === url) this.#known = null;
  }

  /**
   * Holds a new connection to `chosen`, on which `ask` runs one statement. Throws `NoPrimary` when it takes no writes,
   * or when a newer timeline is known.
   */
  async hold(connection: Held, chosen: Primary, ask: (text: string) => Promise<{ rows: unknown[] }>): Promise<void> {
    const { rows } = await ask(timelineOf);
    const [{ timeline } = { timeline: null }] = rows as { timeline: number | null }[];
    if (timeline === null || timeline < this.#newest) {
      this.forget(chosen);
      throw new NoPrimary(`${nameOf(chosen.url)} does not take writes any more`);
    }
    this.#note({ url: chosen.url, timeline });
    this.#held.set(connection, { url: chosen.url, timeline });
    this.#timer ??= setInterval(() => void this.#lookAgain(), lookEveryMs).unref();
  }

  /** The connection has ended. */
  release(connection: Held): void {
    this.#held.delete(connection);
  }

  /** Asks all servers at once; callers at the same time share the answer. */
  #look(): Promise<Primary> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #ask(): Promise<Primary> {
    const answers = await Promise.allSettled(this.#addresses.map(timelineAt));
    const writers = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' && answer.value !== null
        ? [{ url: this.#addresses[index] ?? '', timeline: answer.value }]
        : [],
    );
    const [best] = writers.toSorted((one, other) => other.timeline - one.timeline);
    if (!best || best.timeline < this.#newest) {
      this.#known = null;
      throw whyNone(this.#addresses, answers);
    }
    this.#seenAt = performance.now();
    this.#note(best);
    return best;
  }

  async #lookAgain(): Promise<void> {
    if (this.#held.size > 0) await this.#look().catch(() => {});
  }

  /** Remembers where writes go now, and cuts connections to where they do not. */
  #note(primary: Primary): void {
    if (this.#known?.url !== primary.url || primary.timeline > this.#newest) {
      log('database_primary', { server: nameOf(primary.url), timeline: primary.timeline });
    }
    this.#known = primary;
    this.#newest = Math.max(this.#newest, primary.timeline);
    for (const [connection, { url, timeline }] of this.#held) {
      if (url === primary.url && timeline === primary.timeline) continue;
      this.#held.delete(connection);
      connection.cut(new NoPrimary(`${nameOf(url)} is not the primary any more`));
    }
  }
}

const known = new Map<string, Servers>();

/** What this process knows of the servers that a connection string names; null if it names a single one. */
export function serversOf(url: string): Servers | null {
  const addresses = addressesIn(url);
  if (addresses.length === 1) return null;
  const servers = known.get(url) ?? new Servers(addresses);
  known.set(url, servers);
  return servers;
}

/** The timeline of a server that takes writes, else null. Rejects when it does not answer. */
async function timelineAt(url: string): Promise<number | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerMaxMs,
    query_timeout: answerMaxMs,
    application_name: 'work-check primary?',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<{ timeline: number | null }>(timelineOf)).rows[0]?.timeline ?? null;
  } finally {
    client.end().catch(() => {});
  }
}

/** The reason itself, if all servers refuse who asks for the same one; else what each of them said. */
function whyNone(addresses: readonly string[], answers: readonly PromiseSettledResult<number | null>[]): Error {
  const reasons = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null));
  const [first] = reasons;
  if (first instanceof pg.DatabaseError && reasons.every((reason) => reason?.code === first.code)) return first;
  const said = answers.map((answer, index) => `${nameOf(addresses[index] ?? '')}: ${wordsOf(answer)}`);
  return new NoPrimary(`no server of DATABASE_URL takes writes (${said.join('; ')})`);
}

function wordsOf(answer: PromiseSettledResult<number | null>): string {
  if (answer.status === 'rejected') return answer.reason?.message || answer.reason?.code || 'no answer';
  return answer.value === null ? 'is a replica' : `is on the former timeline ${answer.value}`;
}

/** Host and port, for logs. */
function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'a server';
}

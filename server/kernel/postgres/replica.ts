import { setTimeout as sleep } from 'node:timers/promises';
import { type Outage, outage } from '../outage.ts';
import { sql } from '../sql.ts';

/** How often the replica is compared with the primary, besides for each read. */
const lookEveryMs = 1_000;
/** How often to ask whether the replica has caught up. */
const pollMs = 5;
/** More positions than this are not kept: the lag is then told from the oldest. */
const unseenMax = 600;

/** Where the log of a database ends, by the server that writes it. */
interface Position {
  /** A copy has the same as its primary, another database cluster has another. */
  cluster: string;
  timeline: number;
  /** The end of what was flushed: commits acknowledged so far lie before it. */
  lsn: string;
}

/** What a replica answers to a position. */
interface Shown {
  /** Whether it is a copy that follows this primary, not an older or another one. */
  follows: boolean;
  /** The end of what it shows. */
  lsn: string;
}

/** Asks one server. */
interface Server {
  one<Row>(statement: ReturnType<typeof sql>): Promise<Row>;
}

const positionNow = sql`
  select (select system_identifier::text from pg_control_system()) as cluster, lsn::text,
    ('x' || substr(pg_walfile_name(lsn), 1, 8))::bit(32)::int as timeline
  from pg_current_wal_flush_lsn() lsn`;

/**
 * Everybody may ask this. A replica notes a new timeline at its next restart point: until then it counts as following
 * the former primary, which is safe.
 */
const shownTo = ({ cluster, timeline }: Position) => sql`
  select pg_is_in_recovery() and (select system_identifier::text from pg_control_system()) = ${cluster}
      and greatest((select timeline_id from pg_control_checkpoint()),
        (select min_recovery_end_timeline from pg_control_recovery())) = ${timeline} as follows,
    coalesce(pg_last_wal_replay_lsn(), '0/0')::text as lsn`;

/**
 * Says whether a replica may answer: once it shows all that the primary had acknowledged when it was asked, so that
 * whoever wrote something sees it. It is not asked while the last look found it lagging, gone, or following another.
 */
export class ReplicaWatch {
  readonly #primary: Server;
  readonly #replica: Server;
  readonly #lagMaxMs: number;
  readonly #told: Outage = outage('replica_lags');
  readonly #timer: NodeJS.Timeout;
  /** When the primary was at positions that the replica has not been seen to show, oldest first. */
  #unseen: { at: number; lsn: bigint }[] = [];
  #isUsable = false;
  #looking: Promise<void> | null = null;

  /** `lagMaxSeconds`: how long a read waits for the replica, before the primary answers it. */
  constructor(primary: Server, replica: Server, lagMaxSeconds: number) {
    this.#primary = primary;
    this.#replica = replica;
    this.#lagMaxMs = lagMaxSeconds * 1_000;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
    void this.#look();
  }

  /** Whether the replica shows all that was acknowledged until now; waits for it as long as it may lag. */
  async isCurrent(): Promise<boolean> {
    if (!this.#isUsable) return false;
    const isCurrent = await this.#comparedNow().catch(() => false);
    this.#isUsable = isCurrent;
    return isCurrent;
  }

  /** It failed at a read: the next look says whether it may answer again. */
  failed(error: unknown): void {
    this.#isUsable = false;
    this.#told.failed(error);
  }

  /** For how long the replica has not shown what the primary had: 0 when it shows all. */
  lagSeconds(): number {
    const [oldest] = this.#unseen;
    return oldest ? (performance.now() - oldest.at) / 1_000 : 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): Promise<void> {
    this.#looking ??= this.#compared().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #compared(): Promise<void> {
    try {
      this.#isUsable = await this.#comparedNow();
      if (this.#isUsable) this.#told.works();
      else this.#told.failed(new Error('the replica does not show what the primary has'));
    } catch (error) {
      this.failed(error);
    }
  }

  /** Whether the replica shows, in time, what the primary has now. Rejects when one of them does not answer. */
  async #comparedNow(): Promise<boolean> {
    const position = await this.#primary.one<Position>(positionNow);
    const at = performance.now();
    this.#unseen.push({ at, lsn: bytesOf(position.lsn) });
    if (this.#unseen.length > unseenMax) this.#unseen.splice(1, 1);
    const deadline = at + this.#lagMaxMs;
    const isOver = new AbortController();
    try {
      return await Promise.race([
        this.#catchesUp(position, deadline, isOver.signal),
        // A machine that is gone does not answer at all.
        sleep(this.#lagMaxMs + lookEveryMs, null, { signal: isOver.signal, ref: false }).then(() => {
          throw new Error('the replica does not answer');
        }),
      ]);
    } finally {
      isOver.abort();
    }
  }

  async #catchesUp(position: Position, deadline: number, over: AbortSignal): Promise<boolean> {
    const wanted = bytesOf(position.lsn);
    for (;;) {
      const { follows, lsn } = await this.#replica.one<Shown>(shownTo(position));
      if (!follows) return false;
      const shown = bytesOf(lsn);
      this.#unseen = this.#unseen.filter((unseen) => unseen.lsn > shown);
      if (shown >= wanted) return true;
      if (over.aborted || performance.now() >= deadline) return false;
      await sleep(pollMs);
    }
  }
}

/** A position in the log, written `16/B374D848`, as the number of bytes before it. */
function bytesOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

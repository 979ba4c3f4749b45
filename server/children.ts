import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './kernel/log.ts';
import { readyForWork, silenceMaxMs, tellSupervisor } from './supervisor.ts';

/** How soon another takes the place of a process that ended. */
const againMs = 1_000;
const lookEveryMs = 1_000;
/** Longer than a process takes to end. */
const endMaxMs = 15_000;

interface Child {
  readonly process: Worker;
  /** Whether it came to be ready; false when it ended before. */
  readonly ready: Promise<boolean>;
  readonly ended: Promise<void>;
  isReady: boolean;
  /** When it last said that it is alive, in milliseconds of `performance.now()`. */
  heardAt: number;
}

export interface Wanted {
  role: 'web' | 'worker';
  /** How many processes. */
  count: number;
  /** Of the first one's figures; the others follow. Null for none. */
  metricsPort: number | null;
}

/** Whether this process only looks after others. */
export function isSupervisor({ count }: Pick<Wanted, 'count'>): boolean {
  return cluster.isPrimary && count > 1;
}

/**
 * Runs this program in several processes, which listen on one port together, until told to stop: replaces one that ended
 * or hangs, and at SIGHUP all of them one by one. If none of them ever comes to be ready, this one ends like the first.
 */
export async function supervise(wanted: Wanted): Promise<never> {
  const crew = new Crew(wanted);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void crew.stop(0));
  process.on('SIGHUP', () => void crew.replaceAll());
  await crew.start();
  readyForWork();
  return new Promise(() => {});
}

class Crew {
  readonly #wanted: Wanted;
  /** By place: the place stays when the process in it changes. */
  readonly #children = new Map<number, Child>();
  #wasReady = false;
  #isStopping = false;
  #isReplacing = false;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  /** Resolves when all are ready for the first time. */
  async start(): Promise<void> {
    const children = Array.from({ length: this.#wanted.count }, (_, place) => this.#fill(place));
    await Promise.all(children.map(({ ready }) => ready));
    this.#watch();
  }

  /** Tells all to stop, and ends with `code` behind the last. */
  async stop(code: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    tellSupervisor('STOPPING=1');
    const children = [...this.#children.values()];
    for (const child of children) tell(child, 'stop');
    await Promise.race([Promise.all(children.map(({ ended }) => ended)), sleep(endMaxMs)]);
    for (const child of children) child.process.process.kill('SIGKILL');
    process.exit(code);
  }

  /** Starts another for each, and stops the old one once the new one is ready. */
  async replaceAll(): Promise<void> {
    if (this.#isReplacing || this.#isStopping) return;
    this.#isReplacing = true;
    for (const [place, old] of [...this.#children]) {
      const next = this.#fill(place);
      if (await next.ready) {
        tell(old, 'leave');
        await old.ended;
      } else {
        // The old one stays: what cannot start must not take its place.
        this.#children.set(place, old);
        break;
      }
    }
    this.#isReplacing = false;
    log('processes_replaced', { role: this.#wanted.role });
  }

  #fill(place: number): Child {
    const { metricsPort } = this.#wanted;
    const forked = cluster.fork(metricsPort === null ? {} : { METRICS_PORT: String(metricsPort + place) });
    const ended = new Promise<void>((resolve) => forked.once('exit', () => resolve()));
    const child: Child = {
      process: forked,
      ended,
      isReady: false,
      heardAt: performance.now(),
      ready: new Promise((resolve) => {
        forked.on('message', (message) => {
          child.heardAt = performance.now();
          if (message !== 'ready') return;
          child.isReady = true;
          this.#wasReady = true;
          resolve(true);
        });
        void ended.then(() => resolve(false));
      }),
    };
    forked.once('exit', (code, signal) => this.#lost(place, child, code, signal));
    this.#children.set(place, child);
    return child;
  }

  /** A process ended by itself: another takes its place. */
  #lost(place: number, child: Child, code: number | null, signal: string | null): void {
    if (this.#isStopping || this.#children.get(place) !== child) return;
    log('process_lost', { role: this.#wanted.role, place, code, signal });
    if (!this.#wasReady) void this.stop(code || 1);
    else setTimeout(() => this.#isStopping || this.#fill(place), againMs);
  }

  /** Kills who says nothing. A supervisor that was held up itself has heard nobody. */
  #watch(): void {
    let lookedAt = performance.now();
    setInterval(() => {
      const now = performance.now();
      const wasHeldUp = now - lookedAt > 2 * lookEveryMs;
      lookedAt = now;
      for (const [place, child] of this.#children) {
        if (wasHeldUp || !child.isReady) child.heardAt = now;
        else if (now - child.heardAt > silenceMaxMs) {
          log('process_hangs', { role: this.#wanted.role, place });
          child.process.process.kill('SIGKILL');
        }
      }
    }, lookEveryMs);
  }
}

/** One that is not ready yet does not listen: a signal ends it. */
function tell({ process: child, isReady }: Child, what: 'stop' | 'leave'): void {
  if (isReady && child.isConnected()) child.send(what);
  else child.process.kill('SIGTERM');
}

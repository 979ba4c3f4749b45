import { readFileSync } from 'node:fs';
import { HungUp } from './http-client.ts';

/** The middle one of an odd number of figures, with the lowest and the highest. */
export function spread(figures: readonly number[]): { median: number; text: string } {
  const sorted = figures.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return { median, text: `${round(median)} [${round(sorted[0])}-${round(sorted.at(-1))}]` };
}

export function round(figure: number | undefined): string {
  if (figure === undefined) return '-';
  return figure >= 100 ? figure.toFixed(0) : figure.toFixed(figure >= 10 ? 1 : 2);
}

/** Figures as shares of the ones that were measured next to them, round by round. */
export function ratio(figures: readonly number[], bases: readonly number[]): string {
  return spread(figures.map((figure, index) => figure / (bases[index] ?? Number.NaN))).text;
}

/** Time that a process and those it started have had of the processors so far. From Linux's /proc. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name of the program, in brackets, may hold anything; utime and stime are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  return children.reduce((sum, child) => sum + cpuSeconds(child), own);
}

const ticksPerSecond = 100;

/** How long each operation took, in milliseconds. */
export class Latencies {
  readonly #times = new Map<string, number[]>();

  add(operation: string, ms: number): void {
    const known = this.#times.get(operation);
    if (known) known.push(ms);
    else this.#times.set(operation, [ms]);
  }

  /** One row an operation: name, count, p50, p99. */
  rows(): string[][] {
    return [...this.#times].map(([operation, times]) => [operation, ...percentiles(times)]);
  }
}

/** Count, p50 and p99. */
export function percentiles(times: readonly number[]): [string, string, string] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return [String(times.length), at(0.5), at(0.99)];
}

/** How long anything is loaded before its figures count: until then a fresh process compiles what it runs. */
export const warmUpSeconds = 10;

/** Whether the work came to its end: false when its connection hung up, which is printed and ends no run. */
export async function unlessHungUp(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof HungUp)) throw error;
    console.error(`${error.message}: what was under way on it is not counted`);
    return false;
  }
}

/**
 * Runs `work`, turn by turn, from `clients` at once for about `seconds`; resolves to how many ended per second. What
 * was under way on a connection that hung up does not count.
 */
export async function perSecond(
  clients: number,
  seconds: number,
  work: (turn: number, client: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let turn = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < until) {
        if (await unlessHungUp(work(turn++, client))) done += 1;
      }
    }),
  );
  return done / ((performance.now() - startedAt) / 1000);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

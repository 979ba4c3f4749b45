import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const trialsFolder = path.resolve(import.meta.dirname, '../../.data/trials');

/** Which piece of a long trial this run is: the `number`th, from 1, of this many. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

/**
 * The piece named by `TRIAL_PART`, such as `3/20`; without it the whole. Each piece runs its share of a long trial's
 * rounds with its own inputs.
 */
export function chosenPart(text = process.env.TRIAL_PART): Part {
  if (!text) return { number: 1, of: 1 };
  const [, number = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (number < 1 || number > of) throw new Error(`TRIAL_PART is "${text}"; "3/20" is the third of twenty pieces.`);
  return { number, of };
}

/** How many of `rounds` belong to a piece. */
export function shareOf(rounds: number, { of }: Part): number {
  return Math.ceil(rounds / of);
}

/** The seed of a model's runs: new every time, unless `TRIAL_SEED` is set. */
export const chosenSeed = (): number => Number(process.env.TRIAL_SEED ?? Date.now() % 2 ** 31);

/** How often things happened. */
export type Counts = Readonly<Record<string, number>>;

/** What happened less often than `times`. */
export const rarerThan = (times: number, counts: Counts): [string, number][] =>
  Object.entries(counts).filter(([, counted]) => counted < times);

/**
 * Writes down a piece's counts, and returns the sum over all pieces once each has run, otherwise null. Random events
 * are required of the sum only: a single piece may miss them. Running a piece again replaces its counts.
 */
export function sumOfParts(trial: string, { number, of }: Part, counts: Counts, folder = trialsFolder): Counts | null {
  const inPieces = path.join(folder, `${trial}-of-${of}`);
  mkdirSync(inPieces, { recursive: true });
  writeFileSync(path.join(inPieces, `${number}.json`), JSON.stringify(counts));
  const sum: Record<string, number> = {};
  for (let piece = 1; piece <= of; piece += 1) {
    const counted = countsIn(path.join(inPieces, `${piece}.json`));
    if (!counted) return null;
    for (const [name, times] of Object.entries(counted)) sum[name] = (sum[name] ?? 0) + times;
  }
  return sum;
}

function countsIn(file: string): Counts | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

import { createServer, type Server } from 'node:net';

/** Every port that one copy of the service uses, derived from PORT. */
export type Ports = {
  readonly app: number;
  readonly control: number;
  readonly facilitator: number;
  readonly chains: { readonly 84532: number; readonly 421614: number };
  readonly smtp: number;
  readonly model: number;
  readonly stripe: number;
  readonly postgres: number;
  readonly archive: number;
};

const HIGHEST_OFFSET = 1018;
/** How many ports a scheme has above PORT, next to each other. */
const PARTS = 9;
const HIGHEST_PORT = 65_535;

/** The port scheme: `app` is PORT itself, all others are 1010 to 1018 above it. Throws a sentence if none fits. */
export function ports(app: number): Ports {
  if (!Number.isInteger(app) || app < 1 || app + HIGHEST_OFFSET > HIGHEST_PORT) {
    throw new Error(`PORT must be a whole number from 1 to ${HIGHEST_PORT - HIGHEST_OFFSET}, not ${app}.`);
  }
  return {
    app,
    control: app + 1010,
    facilitator: app + 1011,
    chains: { 84532: app + 1012, 421614: app + 1013 },
    smtp: app + 1014,
    model: app + 1015,
    stripe: app + 1016,
    postgres: app + 1017,
    archive: app + HIGHEST_OFFSET,
  };
}

// Below the range of ephemeral ports (gVisor from 16,000, Linux from 32,768), so that no client socket takes one; above
// the last port below it that fetch refuses as bad (10,080).
const SEARCH_FROM = 10_100;
const SEARCH_SPAN = 4_800;
/** The lower half of a band holds values for PORT, the upper half the other ports of their schemes. */
const BAND = 2 * (HIGHEST_OFFSET - PARTS + 1);
const SEARCHED = Array.from({ length: SEARCH_SPAN }, (_, offset) => offset)
  .filter((offset) => (offset % BAND) % PARTS === 0 && (offset % BAND) + PARTS <= BAND / 2)
  .map((offset) => SEARCH_FROM + offset);
const MARK = PARTS - 1;
const STARTS_MAX = 5;

/**
 * A value for PORT whose whole scheme is free now; for tests, which run beside each other. No other program that asks
 * gets a port of this scheme while this process lives: it listens behind PORT, where no scheme has a port and no process
 * of several tells its figures (they count up from a port of their own).
 */
export async function freePort(): Promise<number> {
  const first = Math.floor(Math.random() * SEARCHED.length);
  for (const candidate of [...SEARCHED.slice(first), ...SEARCHED.slice(0, first)]) {
    const mark = await listening(candidate + MARK);
    if (!mark) continue;
    if (await isSchemeFree(ports(candidate))) return candidate;
    mark.close();
  }
  throw new Error(`None of ${SEARCHED.length} port schemes is free.`);
}

async function isSchemeFree({ chains, ...others }: Ports): Promise<boolean> {
  const free = await Promise.all([...Object.values(others), ...Object.values(chains)].map(isFree));
  return free.every(Boolean);
}

/**
 * Calls `start` with a value for PORT whose scheme is free. When another program takes one first, which `start` reports
 * with "in use", tries others.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('in use');
      if (!taken || starts === STARTS_MAX) throw error;
    }
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listening(port);
  if (!probe) return false;
  await new Promise((resolve) => probe.close(resolve));
  return true;
}

/** Listens until it is closed or this process ends, which it does not hold up. `null` when the port is taken. */
function listening(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

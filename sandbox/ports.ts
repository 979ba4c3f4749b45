import { createServer } from 'node:net';

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
};

const HIGHEST_OFFSET = 1017;
const HIGHEST_PORT = 65_535;

/** The port scheme: `app` is PORT itself, all others are 1010 to 1017 above it. Throws a sentence if none fits. */
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
    postgres: app + HIGHEST_OFFSET,
  };
}

// Below the range of ephemeral ports (gVisor from 16,000, Linux from 32,768), so that no client socket takes one; above
// the last port below it that fetch refuses as bad (10,080).
const SEARCH_FROM = 10_100;
const SEARCH_SPAN = 4_800;
const SEARCH_TRIES = 50;
const STARTS_MAX = 5;

/** A value for PORT whose whole scheme is free now; for tests, which run beside each other. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < SEARCH_TRIES; attempt += 1) {
    const candidate = SEARCH_FROM + Math.floor(Math.random() * SEARCH_SPAN);
    const scheme = ports(candidate);
    const wanted = [
      ...Object.values(scheme).filter((port) => typeof port === 'number'),
      ...Object.values(scheme.chains),
    ];
    const free = await Promise.all(wanted.map(isFree));
    if (free.every(Boolean)) return candidate;
  }
  throw new Error(`No free range of ports was found in ${SEARCH_TRIES} tries.`);
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

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

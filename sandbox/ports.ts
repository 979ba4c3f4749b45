import { createServer } from 'node:net';

/** Every port that a copy of the service uses on one machine, derived from the one that PORT names. */
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

/** The port scheme: `app` is PORT itself, everything else lies 1010 to 1017 above it. Throws a sentence if none fits. */
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

// Below the range from which Linux and macOS hand out ephemeral ports, so a client socket cannot take one meanwhile.
const SEARCH_FROM = 10_000;
const SEARCH_SPAN = 20_000;
const SEARCH_TRIES = 50;

/** A value for PORT whose whole scheme is free at this moment; for tests, which run beside each other. */
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

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

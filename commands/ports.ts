import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { Refusal } from './refusal.ts';

const DEFAULT_PORT = 3000;
/** The largest base port from which every derived port still exists. */
const LARGEST_PORT = 65_535 - 1017;

/** Below the ports that the system hands out by itself, so that none of them is taken in the meantime. */
const LOWEST_RANDOM_PORT = 10_000;
const HIGHEST_RANDOM_PORT = 30_000;
const PORT_ATTEMPTS = 50;

/** Where each process listens. All of it follows from the app's port, so several copies can run side by side. */
export interface Ports {
  readonly app: number;
  readonly sandbox: number;
  readonly facilitator: number;
  readonly chain84532: number;
  readonly chain421614: number;
  readonly smtp: number;
  readonly model: number;
  readonly stripe: number;
  readonly postgres: number;
}

/** Derives every port from `PORT` (default 3000). Throws a `Refusal` when it is not a usable port number. */
export function portsFrom(value: string | undefined): Ports {
  const app = value === undefined || value === '' ? DEFAULT_PORT : Number(value);
  if (!Number.isInteger(app) || app < 1 || app > LARGEST_PORT) {
    throw new Refusal(`PORT must be a whole number from 1 to ${LARGEST_PORT}; it is "${value}".`);
  }
  return {
    app,
    sandbox: app + 1010,
    facilitator: app + 1011,
    chain84532: app + 1012,
    chain421614: app + 1013,
    smtp: app + 1014,
    model: app + 1015,
    stripe: app + 1016,
    postgres: app + 1017,
  };
}

/** Throws a `Refusal` when the port cannot be listened on; `purpose` names who wants it: "the app". */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  for (const host of ['127.0.0.1', '::1']) {
    const code = await tryToListen(port, host);
    if (code === 'EADDRINUSE') {
      throw new Refusal(
        `Port ${port}, wanted for ${purpose}, is in use: stop the program that listens there, or move everything with another PORT.`,
      );
    }
    if (code === 'EACCES') throw new Refusal(`Port ${port}, wanted for ${purpose}, is reserved: set a higher PORT.`);
  }
}

/** Ports for a copy that runs beside whatever else this machine runs. */
export async function freePorts(): Promise<Ports> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const ports = portsFrom(String(randomInt(LOWEST_RANDOM_PORT, HIGHEST_RANDOM_PORT)));
    const codes = await Promise.all(Object.values(ports).map((port) => tryToListen(port, '127.0.0.1')));
    if (codes.every((code) => code === undefined)) return ports;
  }
  throw new Refusal(`No free ports were found in ${PORT_ATTEMPTS} attempts.`);
}

/** A loopback port that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** The error's code, or `undefined` when the port can be listened on. A machine without IPv6 answers with its own. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

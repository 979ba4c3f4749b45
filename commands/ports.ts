import { createServer } from 'node:net';
import { Refusal } from './refusal.ts';

const DEFAULT_PORT = 3000;
/** The largest base port from which every derived port still exists. */
const LARGEST_PORT = 65_535 - 1017;

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

/** Throws a `Refusal` when something already listens on the port, which `purpose` names: "the app". */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  if (await isPortFree(port)) return;
  throw new Refusal(
    `Port ${port}, wanted for ${purpose}, is in use: stop the program that listens there, or move everything with another PORT.`,
  );
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

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

import { createServer } from 'node:net';
import { freePort, onFreePort, type Ports, ports } from '../sandbox/ports.ts';
import { Refusal } from './refusal.ts';

const DEFAULT_PORT = 3000;

/** Derives every port from `PORT` (default 3000). Throws a `Refusal` when it is not a usable port number. */
export function portsFrom(value: string | undefined): Ports {
  try {
    return ports(value === undefined || value === '' ? DEFAULT_PORT : Number(value));
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

/** Throws a `Refusal` when the port is taken; `purpose` names who wants it, such as "the app". */
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

/** Ports for a copy beside whatever else runs here. */
export async function freePorts(): Promise<Ports> {
  return ports(await freePort());
}

/** Starts something on free ports; tries others when another program took one first. */
export function onFreePorts<T>(start: (ports: Ports) => Promise<T>): Promise<T> {
  return onFreePort((port) => start(ports(port)));
}

/** The error's code; `undefined` when the port is free. Machines without IPv6 answer with their own code. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

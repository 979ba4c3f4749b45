import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './kernel/log.ts';
import type { Runtime } from './runtime.ts';

/**
 * Once no request is taken any more, those under way get this long to end. With the delay before it that is 8 seconds;
 * whoever tells a process to stop waits for 10.
 */
const drainMs = 5_000;

/**
 * Ends a web process that is told to stop without failing a request: it says that it is not ready, goes on serving until
 * whoever sends it requests has learned of that, ends each connection with an answer, does what is to be done at last, and
 * then goes.
 */
export function stopWhenTold(runtime: Runtime, server: Server, atLast: () => Promise<void>): void {
  const stop = async (signal: NodeJS.Signals) => {
    log('app_stopping', { signal });
    runtime.beginStop();
    // A person at a terminal need not wait for that.
    if (signal === 'SIGTERM') await sleep(runtime.configuration.stopDelaySeconds * 1_000);
    await ended(server);
    await runtime.close();
    await atLast();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
}

/** Takes no connections any more; resolves when the requests under way are answered, or out of time. */
function ended(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(patience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

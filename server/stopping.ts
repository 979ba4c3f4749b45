import type { Server } from 'node:http';
import { Server as Listener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './kernel/log.ts';
import type { Runtime } from './runtime.ts';
import { type Reason, tellSupervisor, whenToldToStop } from './supervisor.ts';

/**
 * Time for running requests once no new ones are taken. With the delay before, that is 8 seconds; supervisors kill
 * after 10.
 */
const drainMs = 5_000;

/**
 * Stops a web process without failing a request: reports not ready, serves until load balancers have noticed, closes
 * each connection with its answer, runs the last steps, then exits.
 */
export function stopWhenTold(runtime: Runtime, server: Server, atLast: () => Promise<void>): void {
  const stop = async (reason: Reason) => {
    log('app_stopping', { reason });
    tellSupervisor('STOPPING=1');
    // Another takes new connections now. Those that are open hear of it with their next answer.
    if (reason === 'replaced') Listener.prototype.close.call(server);
    runtime.beginStop();
    // A person at a terminal need not wait for load balancers.
    if (reason !== 'SIGINT') await sleep(runtime.configuration.stopDelaySeconds * 1_000);
    await ended(server);
    await runtime.close();
    await atLast();
    process.exit(0);
  };
  whenToldToStop((reason) => void stop(reason));
}

/** Stops listening; resolves when running requests are answered, or out of time. */
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

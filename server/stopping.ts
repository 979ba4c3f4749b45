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
/** Time for reading the request of a connection that was taken last. */
const readMs = 200;
/** A turn of the event loop that is shorter did nothing. */
const quietMs = 0.5;
/** A process that always has something to do stops as it is. */
const quietWaitMs = 500;

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
    await closeGently(server);
    await runtime.close();
    await atLast();
    process.exit(0);
  };
  whenToldToStop((reason) => void stop(reason));
}

/**
 * Stops listening and closes what is idle; resolves when running requests are answered, or out of time. A proxy that asks
 * nobody whether this process is ready sends requests until the end: what it has sent is taken first.
 */
export async function closeGently(server: Server): Promise<void> {
  await quietTurn();
  const closed = new Promise<void>((resolve) => {
    Listener.prototype.close.call(server, () => resolve());
  });
  const patience = setTimeout(() => server.closeAllConnections(), drainMs);
  // A connection that was taken a moment ago looks idle: its request has not been read.
  await sleep(readMs);
  await quietTurn();
  server.closeIdleConnections();
  await closed;
  clearTimeout(patience);
}

/**
 * Resolves at the end of a turn of the event loop in which nothing else ran, so that all that has come was taken. Where
 * there is always something to do, after half a second.
 */
function quietTurn(): Promise<void> {
  return new Promise((resolve) => {
    const giveUpAt = performance.now() + quietWaitMs;
    const turn = () => {
      const began = performance.now();
      setImmediate(() => {
        const now = performance.now();
        if (now - began < quietMs || now > giveUpAt) resolve();
        else turn();
      });
    };
    setImmediate(turn);
  });
}

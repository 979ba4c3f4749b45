import { execFile } from 'node:child_process';
import cluster from 'node:cluster';
import { errorFields, log } from './kernel/log.ts';

/** How often a process of several says that it is alive, and how long it may not. */
const aliveEveryMs = 5_000;
export const silenceMaxMs = 3 * aliveEveryMs;

/**
 * Tells systemd how this process is (sd_notify(3)), through systemd's own tool: Node cannot write to a datagram socket.
 * Under another supervisor, or none, nothing happens. Of several processes only the one that looks after them tells.
 */
export function tellSupervisor(state: 'READY=1' | 'STOPPING=1' | 'WATCHDOG=1'): void {
  if (!process.env.NOTIFY_SOCKET || cluster.isWorker) return;
  execFile('systemd-notify', [state], (error) => {
    if (error) log('supervisor_not_told', { state, ...errorFields(error) });
  });
}

/**
 * Ready: from now on tells systemd's watchdog twice in each of its periods that the event loop turns; or, as one of
 * several, the process that looks after them. A process that hangs tells nothing, and another is started.
 */
export function readyForWork(): void {
  if (cluster.isWorker) {
    process.send?.('ready');
    setInterval(() => process.connected && process.send?.('alive'), aliveEveryMs).unref();
    return;
  }
  tellSupervisor('READY=1');
  const periodMs = Number(process.env.WATCHDOG_USEC ?? 0) / 1_000;
  if (periodMs > 0) setInterval(() => tellSupervisor('WATCHDOG=1'), periodMs / 2).unref();
}

/** Why a process stops: by a signal, or because another has taken its place on the port. */
export type Reason = 'SIGTERM' | 'SIGINT' | 'replaced';

/** Runs `stop` once, when a signal or the process that looks after this one says so. */
export function whenToldToStop(stop: (reason: Reason) => void): void {
  let isTold = false;
  const tell = (reason: Reason) => {
    if (isTold) return;
    isTold = true;
    stop(reason);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => tell(signal));
  if (!cluster.isWorker) return;
  process.on('message', (message) => {
    if (message === 'stop') tell('SIGTERM');
    if (message === 'leave') tell('replaced');
  });
}

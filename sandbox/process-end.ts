// How the sandbox's processes end: orderly on a signal, or by themselves when their parent is gone.

const PARENT_POLL_MS = 300;

/**
 * Calls `stop` once: on SIGTERM or SIGINT, or when the parent process is gone. A forked process sees its channel close;
 * any other gets a new parent id from the operating system.
 */
export function onEnd(stop: () => void): void {
  const parent = process.ppid;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    clearInterval(watch);
    stop();
  };
  const watch = setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_POLL_MS);
  watch.unref();
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('disconnect', end);
  // The parent's end closed our output: a failed write must not end us before the orderly stop.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

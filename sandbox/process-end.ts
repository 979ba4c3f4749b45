// How the sandbox's processes end: orderly on a signal, on their own when the process that started them is gone.

const PARENT_POLL_MS = 300;

/**
 * Calls `stop` once: on SIGTERM or SIGINT, or when the parent process has disappeared. A forked process sees its channel
 * close; any other is handed to another parent, which the operating system shows as a changed parent id.
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

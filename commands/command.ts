import { setTimeout as sleep } from 'node:timers/promises';
import { databaseRefusal } from './database-refusal.ts';
import { stopAll } from './processes.ts';
import { Refusal } from './refusal.ts';

/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;
/** One Ctrl-C arrives twice: from the terminal and from npm. */
const ECHO_MS = 1_000;
const PARENT_POLL_MS = 300;

/**
 * Runs a command until it ends or Ctrl-C, stops every process it started, and exits. A `Refusal` prints its sentence to
 * stderr and exits 1, and so does a database that refuses or is away; any other error is a bug and keeps its stack. Pass
 * `afterInterrupt: 0` for a command that normally ends by Ctrl-C.
 */
export async function runCommand(main: () => Promise<number>, { afterInterrupt = INTERRUPTED } = {}): Promise<never> {
  const exitCode = await Promise.race([interrupted().then(() => afterInterrupt), reportFailure(main)]);
  await stopAll();
  process.exit(exitCode);
}

async function reportFailure(main: () => Promise<number>): Promise<number> {
  try {
    return await main();
  } catch (error) {
    const refusal = error instanceof Refusal ? error : databaseRefusal(error);
    console.error(refusal ? refusal.message : error);
    return 1;
  }
}

/** Resolves at the first signal to end. A second one from a person ends the command at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt > ECHO_MS) process.exit(INTERRUPTED);
        askedAt ??= performance.now();
        resolve();
      });
    }
    if (process.env.npm_lifecycle_event !== undefined) void parentGone().then(resolve);
  });
}

/** A killed npm cannot tell us, but our parent changes. */
async function parentGone(): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await sleep(PARENT_POLL_MS, undefined, { ref: false });
}

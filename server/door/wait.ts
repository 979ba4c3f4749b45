import { after } from '../kernel/clock.ts';
import { digestOf } from '../kernel/digest.ts';
import type { Context } from '../runtime.ts';

/** Pause between two looks. */
const lookAgainMs = 100;
/** Waiting requests per caller. One more answers at once (RFC 7240: a preference). */
const waitsMax = 16;

interface Look {
  text: string;
  headers: Record<string, string>;
}

/**
 * Waits until `look` finds something new, for as long as the request prefers. Resolves to whether it waited: false when
 * there is nothing to wait for or the caller has too many waiting requests. Requests with the same `what` share each
 * look.
 */
export async function untilChanged(
  { wait, now, runtime }: Pick<Context, 'wait' | 'now' | 'runtime'>,
  first: Look,
  { caller, what, look }: { caller: string; what: string; look: () => Promise<Look> },
): Promise<boolean> {
  if (!wait || wait.seconds === 0) return false;
  // Without the reader's digest, wait only while the answer says to look again.
  if (wait.seen === null && !first.headers['Retry-After']) return false;
  const digest = digestOf(first.text);
  const seen = wait.seen ?? digest;
  if (digest !== seen) return false;
  const until = after(now, wait.seconds);
  return asOneWhoWaits(caller, async () => {
    let next: Look;
    do {
      next = await nextLook(what, look);
    } while (digestOf(next.text) === seen && runtime.clock() < until && !runtime.stopping.aborted);
  });
}

const coming = new Map<string, Promise<unknown>>();

/** The next look, shared by all who wait for `key`. */
function nextLook<T>(key: string, look: () => Promise<T>): Promise<T> {
  const known = coming.get(key) as Promise<T> | undefined;
  if (known) return known;
  const next = new Promise((resolve) => setTimeout(resolve, lookAgainMs)).then(() => {
    coming.delete(key);
    return look();
  });
  coming.set(key, next);
  return next;
}

const waiting = new Map<string, number>();

/** Runs `wait` within the caller's limit. Resolves to false at once beyond it. */
async function asOneWhoWaits(caller: string, wait: () => Promise<void>): Promise<boolean> {
  const others = waiting.get(caller) ?? 0;
  if (others >= waitsMax) return false;
  waiting.set(caller, others + 1);
  try {
    await wait();
    return true;
  } finally {
    const left = (waiting.get(caller) ?? 1) - 1;
    if (left === 0) waiting.delete(caller);
    else waiting.set(caller, left);
  }
}

import { after } from '../kernel/clock.ts';
import { digestOf } from '../kernel/digest.ts';
import type { Context } from '../runtime.ts';

/** Pause between two looks. */
const lookAgainMs = 100;
/**
 * Waiting requests of a caller, of a network and of this process, each of which looks ten times a second. One more
 * answers at once (RFC 7240: a preference).
 */
const waitsMax = { caller: 16, network: 64, process: 1_024 };

interface Look {
  text: string;
  headers: Record<string, string>;
}

/**
 * Waits until `look` finds something new, for as long as the request prefers. Resolves to whether it waited: false when
 * there is nothing to wait for or too many requests wait already. Requests with the same `what` share each
 * look.
 */
export async function untilChanged(
  { wait, now, runtime, origin }: Pick<Context, 'wait' | 'now' | 'runtime' | 'origin'>,
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
  const places = [
    { who: `caller ${caller}`, max: waitsMax.caller },
    { who: `network ${origin}`, max: waitsMax.network },
    { who: 'process', max: waitsMax.process },
  ];
  return asOneWhoWaits(places, async () => {
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

/** Runs `wait` within the limits of each of these. Resolves to false at once beyond one. */
async function asOneWhoWaits(
  places: readonly { who: string; max: number }[],
  wait: () => Promise<void>,
): Promise<boolean> {
  if (places.some(({ who, max }) => (waiting.get(who) ?? 0) >= max)) return false;
  for (const { who } of places) waiting.set(who, (waiting.get(who) ?? 0) + 1);
  try {
    await wait();
    return true;
  } finally {
    for (const { who } of places) {
      const left = (waiting.get(who) ?? 1) - 1;
      if (left === 0) waiting.delete(who);
      else waiting.set(who, left);
    }
  }
}

/** How long whoever waits for a change sleeps between two looks. */
const lookAgainMs = 100;
/** Requests of one caller that wait at once. One more is answered as things stand (RFC 7240: a preference). */
const waitsMax = 16;

const coming = new Map<string, Promise<unknown>>();

/** The next look at something, one for all who wait for it; `key` says what is looked at, and for whom. */
export function nextLook<T>(key: string, look: () => Promise<T>): Promise<T> {
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

/** Has `wait` done as one of the requests of a caller that wait. Resolves to false at once when there are too many. */
export async function asOneWhoWaits(caller: string, wait: () => Promise<void>): Promise<boolean> {
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

import { after } from './clock.ts';
import { errorFields, log } from './log.ts';

/** Whoever holds something and has not been heard of for this long has lost it to the next. */
export const leaseSeconds = 12;

/** Signs of life within one lease: two may go missing. */
const renewalsPerLease = 3;

export function leaseUntil(now: Date): Date {
  return after(now, leaseSeconds);
}

/**
 * Does `work` and calls `renew` again and again meanwhile, so that a lease is short, and is lost only by a process that
 * is gone, however long the work takes.
 */
export async function whileHeld<T>(renew: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const renewal = setInterval(
    () => {
      renew().catch((error) => log('lease_not_renewed', errorFields(error)));
    },
    (leaseSeconds * 1000) / renewalsPerLease,
  );
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}

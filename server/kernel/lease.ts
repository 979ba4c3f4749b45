import { after } from './clock.ts';
import { errorFields, log } from './log.ts';

/** A lease ends this long after its last renewal. */
export const leaseSeconds = 12;

/** Renewals per lease: two may be lost. */
const renewalsPerLease = 3;

export function leaseUntil(now: Date): Date {
  return after(now, leaseSeconds);
}

/** Renews the lease while `work` runs. Leases stay short, yet only a dead process loses one. */
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

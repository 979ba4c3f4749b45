import { type Attempt, type Outcome, type Rails, railOf } from '../../payments/rail.ts';
import type { Runtime } from '../../runtime.ts';

/** Withdraws a job's open attempt. Null when that did not end it: its rail could not, or did not answer. */
export async function withdrawn(
  runtime: Pick<Runtime, 'db' | 'rails' | 'clock'>,
  jobKey: string,
): Promise<{ attempt: Attempt; outcome: Outcome } | null> {
  const { db, rails } = runtime;
  const attempt = await openAttempt(db, rails, jobKey);
  if (!attempt) return null;
  const outcome = await railOf(rails, attempt)
    .withdraw(runtime, attempt)
    .catch(() => null);
  return outcome && (outcome.is === 'collected' || outcome.is === 'never') ? { attempt, outcome } : null;
}

/** A job has at most one open attempt over all rails. */
async function openAttempt(db: Runtime['db'], rails: Rails, jobKey: string): Promise<Attempt | undefined> {
  const open = await Promise.all([...rails.values()].map((rail) => rail.openAttempt(db, jobKey)));
  return open.find((attempt) => attempt !== undefined);
}

import { Problem } from '../door/problem.ts';
import { errorFields, log } from '../kernel/log.ts';

/** Rows looked up at once. */
const batch = 50;
/** Rows worked on at once: one that hangs must not hold up the others for long. */
const parallel = 8;

/**
 * Works through everything that `find` finds, in the order of the keys. What cannot be moved on is passed over, so it
 * hides nothing that comes after it.
 */
export async function throughAll<Row extends { job_key: string }>(
  find: (page: { after: string; limit: number }) => Promise<Row[]>,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await find({ after, limit: batch });
    await each(rows, work);
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    after = last.job_key;
  }
}

/** Works on all rows, a few at a time. */
export async function each<Row>(rows: Row[], work: (row: Row) => Promise<void>): Promise<void> {
  const queue = rows.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const row of queue) await work(row);
    }),
  );
}

/** One row that cannot be moved on must not hold up the others. A lost race is nothing to report. */
export async function guarded(
  event: string,
  keys: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Problem && error.code === 'action_not_allowed') return;
    log(event, { ...keys, ...errorFields(error) });
  }
}

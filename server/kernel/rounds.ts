import { Problem } from '../door/problem.ts';
import { errorFields, log } from './log.ts';

/** Rows worked on at once: one that hangs must not hold up the others for long. */
const parallel = 8;

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

import { errorFields, log } from '../kernel/log.ts';
import { Problem } from '../problems/problem.ts';

/** Rows handled at once, so that one that hangs does not hold up the rest. */
const parallel = 8;

/** Handles all rows, a few at a time. */
export async function each<Row>(rows: Row[], work: (row: Row) => Promise<void>): Promise<void> {
  const queue = rows.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const row of queue) await work(row);
    }),
  );
}

/** A failing row must not stop the others. Don't log lost races. */
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

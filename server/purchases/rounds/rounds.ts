import { each } from '../../kernel/rounds.ts';

/** Rows looked up at once. */
const batch = 50;

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

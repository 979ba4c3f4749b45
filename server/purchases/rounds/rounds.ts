import { each } from '../../queue/rounds.ts';

/** Rows looked up at once. */
const batch = 50;

/** Handles everything that `find` finds, by key. Skips what fails, so that it hides nothing behind it. */
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

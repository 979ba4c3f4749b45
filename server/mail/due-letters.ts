import { sql } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { enqueueLetter } from '../queue/queue.ts';
import type { Runtime } from '../runtime.ts';

/**
 * What happened to an account that its members hear about. The database writes a row wherever the fact is recorded, so
 * that no writer can leave one out; it waits until it is due.
 */
export interface Happening {
  account_key: string;
  action: string;
  /** The key of a job, or of nothing else for an event of the account. */
  subject: string;
  /** Which row of its kind: a thing can happen to the same subject twice. */
  number: string;
  at: string;
}

/** Puts what happened off into a digest that is due later; once a subject and number. */
export function putOff(tx: Tx, { account_key, action, subject, number, at }: Happening, dueAt: Date): void {
  tx.write(sql`
    insert into due_letters (account_key, kind, action, subject, number, at, due_at)
    values (${account_key}, 'digest', ${action}, ${subject}, ${number}::bigint, ${at}, ${dueAt})
    on conflict do nothing`);
}

/** Happenings taken at once. */
const batch = 200;

/** Queues what is due: its letters are written where all are. Each happening is taken by one worker. */
export async function queueDueLetters(runtime: Runtime): Promise<void> {
  const now = runtime.clock();
  for (;;) {
    const taken = await transact(runtime.db, async (tx) => {
      const rows = await tx.many<Happening & { kind: 'purchase' | 'account' | 'digest' }>(sql`
        delete from due_letters where sequence in (
          select sequence from due_letters where due_at <= ${now} order by due_at limit ${batch} for update skip locked)
        returning account_key, kind, action, subject, number::text, to_json(at) #>> '{}' as at`);
      for (const row of rows) enqueueLetter(tx, runtime.queue, row);
      return rows.length;
    });
    if (taken < batch) return;
  }
}

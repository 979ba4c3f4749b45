import { after } from '../../kernel/clock.ts';
import { log } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import type { Runtime } from '../../runtime.ts';

/** A worker says so often, in seconds, that it is there. */
const everySeconds = 5;
/** Without a worker for longer than this, deadlines waited for nobody: a deployment is shorter. */
const awaySeconds = 60;
/** From then on a job has at least so long: every check takes less, and so does reading what the rails know. */
const timeSeconds = 900;

/**
 * Gives the jobs that were due while no worker ran their time (specification 8.1). The database tells when one last ran:
 * one that was restored to an earlier moment is as old as that, and one that does not know had none. Failing those jobs at once would give back what another
 * time has delivered, before the rails say what it gave back.
 */
export async function resume({ db, clock }: Runtime): Promise<void> {
  const now = clock();
  const until = after(now, timeSeconds);
  // One statement: of several workers, the first moves the deadlines, and no other sees the jobs before.
  const moved = await db.many(sql`
    with seen as (
      insert into worker_presence (seen_at) values (${now})
      on conflict (id) do update set seen_at = excluded.seen_at
      where worker_presence.seen_at < ${after(now, -everySeconds)} or worker_presence.seen_at > ${after(now, awaySeconds)}
      returning old.seen_at as before)
    update jobs set deliver_by = ${until}, updated_at = ${now} from seen
    where (seen.before is null or seen.before < ${after(now, -awaySeconds)}) and state in ('queued', 'running', 'rechecking')
      and deliver_by < ${until}
    returning job_key`);
  if (moved.length > 0) log('deadlines_moved', { jobs: moved.length, until: until.toISOString() });
}

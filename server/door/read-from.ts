import type { Queries } from '../kernel/database.ts';
import { metrics } from '../kernel/metrics.ts';
import type { Operation } from '../operation/operation.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';

/**
 * Runs a read on the replica if the operation allows it and the replica is current, else on the primary. There it also
 * runs when the replica fails: a replica that is away, or that cancels a long read, costs time and nothing else. The
 * `db` of the runtime stays the primary's.
 */
export async function readFrom<Answer>(
  { readsReplica }: Operation,
  runtime: Runtime,
  read: (runtime: Runtime, db: Queries) => Promise<Answer>,
): Promise<Answer> {
  const { replica } = runtime;
  if (replica && readsReplica) {
    if (await replica.watch.isCurrent()) {
      try {
        const answer = await read({ ...runtime, prisma: replica.prisma }, replica.db.shared);
        metrics.reads.inc({ server: 'replica' });
        return answer;
      } catch (error) {
        if (error instanceof Problem) throw error;
        replica.watch.failed(error);
      }
    }
    metrics.reads.inc({ server: 'primary' });
  }
  return read(runtime, runtime.db.shared);
}

import { settleClosed } from '../../server/purchases/closing/settle-closed.ts';
import { reconcile } from '../../server/purchases/rounds/reconcile.ts';
import { sweepDue } from '../../server/purchases/rounds/sweep.ts';
import { hearRails, watchRails } from '../../server/purchases/rounds/watch.ts';
import type { Runtime } from '../../server/runtime.ts';

/** Each of a worker's rounds, once. A test's clock jumps: only `sweep` takes that for an outage. */
export async function everyRound(runtime: Runtime): Promise<void> {
  await sweepDue(runtime);
  await hearRails(runtime);
  await reconcile(runtime);
  await watchRails(runtime);
  await settleClosed(runtime);
}

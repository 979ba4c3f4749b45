import { newId } from './ids.ts';
import type { Provider } from './provider.ts';

/** What happens at the provider by itself once its clock says so. */
export type Task = 'expire_session' | 'open_dispute' | 'settle_refund' | 'fail_refund' | 'lose_dispute';

/** A task that waits; `at` is in seconds since 1970. */
export interface Due {
  readonly id: string;
  readonly at: number;
  readonly task: Task;
  /** The id of the object that it is about. */
  readonly target: string;
}

/** Lets `task` happen to `target` at a moment of the provider's clock, also after a restart. */
export function schedule({ store }: Provider, at: number, task: Task, target: string): void {
  store.put('due', { id: newId('due'), at, task, target });
}

/** Does what is due, oldest first. */
export function runDue(provider: Provider, tasks: Record<Task, (provider: Provider, target: string) => void>): void {
  const { store, clock } = provider;
  const due = store.list('due').filter(({ at }) => at <= clock.now());
  for (const { id, task, target } of due.toSorted((one, other) => one.at - other.at)) {
    store.remove('due', id);
    tasks[task](provider, target);
  }
}

import { newId } from './ids.ts';
import type { Provider } from './provider.ts';
import type { Task } from './records.ts';

/** Schedules `task` for `target` by the provider's clock; survives a restart. */
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

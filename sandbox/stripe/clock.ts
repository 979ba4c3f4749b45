import type { Store } from './store.ts';

/** The provider's own time. It runs with the machine's and can be moved forward, never back. */
export interface Clock {
  /** Seconds since 1970. */
  now(): number;
  /** How many seconds it is ahead of the machine. */
  ahead(): number;
  advance(seconds: number): void;
}

const MS_PER_SECOND = 1_000;

/** A clock that continues where it was before the last restart. */
export function openClock(store: Store): Clock {
  const ahead = () => store.get('clock', 'clock')?.ahead ?? 0;
  return {
    now: () => Math.floor(Date.now() / MS_PER_SECOND) + ahead(),
    ahead,
    advance: (seconds) => store.put('clock', { id: 'clock', ahead: ahead() + seconds }),
  };
}

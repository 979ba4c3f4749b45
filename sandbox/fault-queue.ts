/** How often a fault occurs: a number of times, or until cleared. */
export type Times = number | 'always';

/** Pending faults, oldest first. */
export type FaultQueue<Fault extends { readonly times: Times }> = {
  add(fault: Fault): void;
  /** Takes the first matching fault and counts it down. */
  take(fits?: (fault: Fault) => boolean): Fault | undefined;
  list(): Fault[];
  clear(): void;
};

const QUEUED_FAULTS_MAX = 1_000;

/** A queue of faults that holds at most a thousand. */
export function faultQueue<Fault extends { readonly times: Times }>(): FaultQueue<Fault> {
  let queued: { fault: Fault; left: Times }[] = [];
  return {
    add(fault) {
      if (queued.length >= QUEUED_FAULTS_MAX) throw new Error(`At most ${QUEUED_FAULTS_MAX} faults may wait at once.`);
      queued.push({ fault, left: fault.times });
    },
    take(fits = () => true) {
      const entry = queued.find(({ fault }) => fits(fault));
      if (entry && entry.left !== 'always') {
        entry.left -= 1;
        if (entry.left <= 0) queued = queued.filter((other) => other !== entry);
      }
      return entry?.fault;
    },
    list: () => queued.map(({ fault, left }) => ({ ...fault, times: left })),
    clear() {
      queued = [];
    },
  };
}

/** Requests held until released. */
export type Gate = { hold(): Promise<void>; release(): number; held(): number };

/** An empty gate. */
export function gate(): Gate {
  let waiting: (() => void)[] = [];
  return {
    hold: () => new Promise((resolve) => waiting.push(resolve)),
    release() {
      const released = waiting;
      waiting = [];
      for (const letGo of released) letGo();
      return released.length;
    },
    held: () => waiting.length,
  };
}

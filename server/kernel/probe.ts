import { outage } from './outage.ts';

/** Whether a provider answers, asked beside the requests that want to know. */
export interface Probe {
  /** What is known. Waits, for 2 seconds at most, only while nothing is. */
  wasUp(now: Date): Promise<boolean>;
  /** The same, asked again first when what is known is old: for who is about to depend on it. */
  isUp(now: Date): Promise<boolean>;
  /** What is known, at once: true while nothing is. Begins to ask when that is old. */
  seemsUp(now: Date): boolean;
}

/** A provider that takes longer is as good as down. Counted in steps, so that a process which was busy itself blames nobody. */
const steps = { count: 20, ms: 100 };
/** When the call itself gives up, which nobody waits for. */
export const probeMs = 4_000;
/** A provider that answers is asked again after so long, one that does not sooner: it is missed. */
const rememberMs = { up: 30_000, down: 5_000 };

/**
 * A probe that is asked only when somebody wants to know, and once for all who do. `ask` rejects when the provider cannot
 * be used, and is taken for hung after 2 seconds. `name` is what the log says of it, when it goes down and when it is back.
 */
export function openProbe(name: string, ask: () => Promise<unknown>): Probe {
  const told = outage(name);
  let known: { isUp: boolean; at: number } | null = null;
  let asking: Promise<boolean> | null = null;
  // A clock may go back.
  const isOld = (now: Date) =>
    !known || Math.abs(now.getTime() - known.at) >= (known.isUp ? rememberMs.up : rememberMs.down);
  const askOnce = (now: Date) => {
    asking ??= answered(ask).then((failure) => {
      if (failure) told.failed(failure);
      else told.works();
      known = { isUp: failure === null, at: now.getTime() };
      asking = null;
      return failure === null;
    });
    return asking;
  };
  return {
    async wasUp(now) {
      if (!isOld(now)) return known?.isUp ?? false;
      const answer = askOnce(now);
      return known?.isUp ?? answer;
    },
    seemsUp(now) {
      if (isOld(now)) void askOnce(now);
      return known?.isUp ?? true;
    },
    async isUp(now) {
      return isOld(now) ? askOnce(now) : (known?.isUp ?? false);
    },
  };
}

/** Null when the provider answered in time, else why not. */
async function answered(ask: () => Promise<unknown>): Promise<Error | null> {
  let isOver = false;
  const late = async (): Promise<never> => {
    for (let step = 0; step < steps.count && !isOver; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, steps.ms));
    }
    throw new Error('there is no answer in time');
  };
  try {
    await Promise.race([ask(), late()]);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    isOver = true;
  }
}

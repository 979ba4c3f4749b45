import { outage } from './outage.ts';

/** Whether a provider answers. */
export interface Probe {
  /** The last answer. Waits, up to 2 seconds, only for the first. */
  wasUp(now: Date): Promise<boolean>;
  /** The last answer, asked again if stale: for callers that depend on it. */
  isUp(now: Date): Promise<boolean>;
  /** The last answer, at once; true before the first. Refreshes it in the background. */
  seemsUp(now: Date): boolean;
}

/** A slower provider counts as down. Counted in steps, so that a busy process does not blame the provider. */
const steps = { count: 20, ms: 100 };
/** Time-out of the call itself. */
export const probeMs = 4_000;
/** Ask again after this long; sooner when it is down. */
const rememberMs = { up: 30_000, down: 5_000 };

/**
 * A probe that runs on demand, once for all who ask. `ask` rejects when the provider cannot be used; 2 seconds without
 * an answer count as down. `name` appears in the log when it goes down and comes back.
 */
export function openProbe(name: string, ask: () => Promise<unknown>): Probe {
  const told = outage(name);
  let known: { isUp: boolean; at: number } | null = null;
  let asking: Promise<boolean> | null = null;
  // Clocks may go back.
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

/** Null when the provider answered in time, else the reason. */
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

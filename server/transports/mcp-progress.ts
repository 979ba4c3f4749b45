import type { ServerContext } from '@modelcontextprotocol/server';
import type { Outcome } from '../door/replay.ts';
import { after } from '../kernel/clock.ts';
import type { Context } from '../runtime.ts';
import { toolWaits } from './mcp-tools.ts';

/** Tells the caller how far a job is, where the call asked for that. */
export type Tell = (step: { percent: number; stage: string }) => Promise<void>;

/** What a message of `tools/call` says of its call. */
export interface CallParams {
  name?: unknown;
  arguments?: { wait_seconds?: unknown };
  _meta?: { progressToken?: unknown };
}

/** Whether a call waits and wants to hear of progress: its answer is a stream. */
export function wantsProgress({ name, arguments: args, _meta }: CallParams): boolean {
  return _meta?.progressToken !== undefined && args?.wait_seconds !== undefined && toolWaits(String(name));
}

/** Sends progress of this call as notifications; undefined where it did not ask for them. */
export function tellerOf({ _meta, notify }: Partial<ServerContext['mcpReq']>): Tell | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined || !notify) return undefined;
  return ({ percent, stage }) =>
    notify({
      method: 'notifications/progress',
      params: { progressToken, progress: percent, total: 100, message: stage },
    });
}

/**
 * Looks at a job until nothing moves by itself or the call has waited long enough, and tells each step that it sees.
 * Progress only rises, as the protocol wants it.
 */
export async function followed(
  { wait, now, runtime }: Pick<Context, 'wait' | 'now' | 'runtime'>,
  look: (wait: Context['wait']) => Promise<Outcome>,
  tell: Tell,
): Promise<Outcome> {
  const until = after(now, wait?.seconds ?? 0);
  let told = -1;
  let outcome = await look(null);
  for (;;) {
    const { progress } = outcome.body as { progress?: { percent: number; stage: string } };
    if (progress && progress.percent > told) {
      told = progress.percent;
      await tell(progress);
    }
    if (!outcome.headers['Retry-After'] || runtime.clock() >= until) return outcome;
    const next = await look(wait);
    // Nothing changed: too many of this caller's requests wait, or the time is over.
    if (next.text === outcome.text) return next;
    outcome = next;
  }
}

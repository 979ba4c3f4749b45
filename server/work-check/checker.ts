import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { AssessorModel } from '../configuration/assessor.ts';
import type { CheckOptions } from './check.ts';
import type { CheckRequest, Report } from './contract.ts';
import { CheckFailure, type CheckFailureCode } from './failure.ts';
import { threadEnvironment } from './thread-environment.ts';

export type CheckerOptions = Omit<CheckOptions, 'assessor'>;

/** Carries checks out in threads of their own, so that the caller's event loop stays free and its memory bounded. */
export interface Checker {
  /**
   * Runs `checkWork` with the assessor that the operator chose. `signal` ends the thread at once.
   *
   * @throws {CheckFailure} as `checkWork`; `assessor_failed` when the thread ends by itself
   */
  check(request: CheckRequest, options: CheckerOptions): Promise<Report>;
  /** Ends every thread; what is under way is rejected. */
  close(): Promise<void>;
}

export type ThreadInput = {
  request: CheckRequest;
  options: Omit<CheckerOptions, 'onProgress' | 'signal'>;
  /** Asked in place of the embedded assessor when there are any. */
  models: readonly AssessorModel[];
};
export type ThreadMessage =
  | { kind: 'progress'; stage: string; percent: number }
  | { kind: 'report'; report: Report }
  | { kind: 'failure'; failure: { code: CheckFailureCode; detail: string } | undefined; message: string };

/** The largest input, 262,144 bytes, takes a fifth of it. */
const HEAP_MB_MAX = 512;
/** A check by the embedded assessor keeps a core busy; one by a language model mostly waits. */
const WAITING_CHECKS = 8;

/**
 * Opens a pool of threads, started when they are needed and kept warm for the next check. `models` are the language
 * models to ask; without any, the embedded assessor answers.
 */
export function openChecker(models: readonly AssessorModel[]): Checker {
  const threadsMax = models.length > 0 ? WAITING_CHECKS : availableParallelism();
  const idle: Worker[] = [];
  const alive = new Set<Worker>();
  const waiting: ((thread: Worker) => void)[] = [];

  const startThread = (): Worker => {
    const thread = new Worker(new URL('./check-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      env: threadEnvironment(),
    });
    alive.add(thread);
    thread.once('exit', () => {
      alive.delete(thread);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
      serve();
    });
    return thread;
  };
  /** Gives the first in the line a thread, when there is one to give. */
  const serve = (): void => {
    if (waiting.length === 0) return;
    const thread = idle.pop() ?? (alive.size < threadsMax ? startThread() : undefined);
    if (thread !== undefined) waiting.shift()?.(thread);
  };
  const threadFor = (signal: AbortSignal | undefined): Promise<Worker> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const take = (thread: Worker): void => {
        signal?.removeEventListener('abort', leave);
        resolve(thread);
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(take);
      serve();
    });

  return {
    async check(request, { onProgress, signal, ...options }) {
      const thread = await threadFor(signal);
      thread.ref();
      const outcome = await runIn(thread, { request, options, models }, onProgress, signal);
      if (outcome.reusable) {
        // A thread that waits for work keeps no process alive.
        thread.unref();
        idle.push(thread);
        serve();
      } else await thread.terminate();
      return outcome.result();
    },
    async close() {
      await Promise.all([...alive].map((thread) => thread.terminate()));
    },
  };
}

type Outcome = { reusable: boolean; result: () => Report };

/** One check in one thread. A thread that failed in a way of its own, or was told to stop, is not used again. */
function runIn(
  thread: Worker,
  input: ThreadInput,
  onProgress: CheckOptions['onProgress'],
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const settle = (reusable: boolean, result: () => Report): void => {
      signal?.removeEventListener('abort', abort);
      thread.removeAllListeners('message').removeListener('error', fail).removeListener('exit', leave);
      resolve({ reusable, result });
    };
    const refuse = (error: unknown, reusable = false): void =>
      settle(reusable, () => {
        throw error;
      });
    const abort = (): void => refuse(signal?.reason);
    const fail = (cause: unknown): void =>
      refuse(new CheckFailure('assessor_failed', 'The thread of the check ended by itself.', { cause }));
    const leave = (): void => refuse(new CheckFailure('assessor_failed', 'The thread of the check ended early.'));
    thread.on('error', fail).on('exit', leave);
    thread.on('message', (message: ThreadMessage) => {
      switch (message.kind) {
        case 'progress':
          return onProgress?.(message.stage, message.percent);
        case 'report':
          return settle(true, () => message.report);
        case 'failure': {
          const { failure } = message;
          return failure === undefined
            ? refuse(new Error(message.message))
            : refuse(new CheckFailure(failure.code, failure.detail), true);
        }
        default:
          return message satisfies never;
      }
    });
    if (signal?.aborted) return refuse(signal.reason, true);
    signal?.addEventListener('abort', abort, { once: true });
    thread.postMessage(input);
  });
}

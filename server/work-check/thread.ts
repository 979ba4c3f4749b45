import { Worker } from 'node:worker_threads';
import type { CheckOptions } from './check.ts';
import type { CheckRequest, Report } from './contract.ts';
import { CheckFailure, type CheckFailureCode } from './failure.ts';

type PlainOptions = Omit<CheckOptions, 'assessor' | 'onProgress' | 'signal'>;
export type ThreadInput = { request: CheckRequest; options: PlainOptions };
export type ThreadMessage =
  | { kind: 'progress'; stage: string; percent: number }
  | { kind: 'report'; report: Report }
  | { kind: 'failure'; failure: { code: CheckFailureCode; detail: string } | undefined; message: string };

/** The largest input, 262,144 bytes, takes a fifth of it. */
const HEAP_MB_MAX = 512;

/**
 * Runs `checkWork` with the embedded assessor in a thread of its own, so that the caller's event loop stays free and
 * its memory bounded. `signal` ends the thread at once.
 *
 * @throws {CheckFailure} as `checkWork`; `assessor_failed` when the thread ends by itself
 */
export function checkWorkInThread(
  request: CheckRequest,
  { onProgress, signal, ...options }: Omit<CheckOptions, 'assessor'>,
): Promise<Report> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const input: ThreadInput = { request, options };
    const worker = new Worker(new URL('./check-thread.ts', import.meta.url), {
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      env: {},
    });
    let settled = false;
    const settle = (act: () => void): void => {
      if (settled) return;
      settled = true;
      signal?.removeEventListener('abort', abort);
      act();
      void worker.terminate();
    };
    const abort = (): void => settle(() => reject(signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: ThreadMessage) => {
      switch (message.kind) {
        case 'progress':
          if (!settled) onProgress?.(message.stage, message.percent);
          return;
        case 'report':
          return settle(() => resolve(message.report));
        case 'failure': {
          const { failure } = message;
          return settle(() =>
            reject(failure === undefined ? new Error(message.message) : new CheckFailure(failure.code, failure.detail)),
          );
        }
        default:
          return message satisfies never;
      }
    });
    worker.on('error', (cause) =>
      settle(() => reject(new CheckFailure('assessor_failed', 'The thread of the check ended by itself.', { cause }))),
    );
    worker.on('exit', () =>
      settle(() => reject(new CheckFailure('assessor_failed', 'The thread of the check ended early.'))),
    );
  });
}

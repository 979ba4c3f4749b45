import { parentPort, workerData } from 'node:worker_threads';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { CheckFailure } from './failure.ts';
import type { ThreadInput, ThreadMessage } from './thread.ts';

// The other side of `thread.ts`: one check, then the thread ends.
const { request, options }: ThreadInput = workerData;
const send = (message: ThreadMessage): void => parentPort?.postMessage(message);

try {
  const report = await checkWork(request, {
    ...options,
    assessor: embeddedAssessor,
    onProgress: (stage, percent) => send({ kind: 'progress', stage, percent }),
  });
  send({ kind: 'report', report });
} catch (error) {
  const failure = error instanceof CheckFailure ? { code: error.code, detail: error.detail } : undefined;
  send({ kind: 'failure', failure, message: error instanceof Error ? error.message : String(error) });
}

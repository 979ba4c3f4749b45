import { parentPort } from 'node:worker_threads';
import { embeddedAssessor } from './assessors/embedded.ts';
import { languageModelAssessor } from './assessors/language-model/assessor.ts';
import { checkWork } from './check.ts';
import type { ThreadInput, ThreadMessage } from './checker.ts';
import { CheckFailure } from './failure.ts';

// The other side of `checker.ts`: one check after the other.
const send = (message: ThreadMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', async ({ request, options, models }: ThreadInput) => {
  try {
    const report = await checkWork(request, {
      ...options,
      assessor: models.length > 0 ? languageModelAssessor(models) : embeddedAssessor,
      onProgress: (stage, percent) => send({ kind: 'progress', stage, percent }),
    });
    send({ kind: 'report', report });
  } catch (error) {
    const failure = error instanceof CheckFailure ? { code: error.code, detail: error.detail } : undefined;
    send({ kind: 'failure', failure, message: error instanceof Error ? error.message : String(error) });
  }
});

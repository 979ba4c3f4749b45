import { Worker } from 'node:worker_threads';
import type { CheckOutcome, CheckRequest } from '../contract.ts';
import { type JsonValue, parsedIfJson } from '../json-value.ts';
import type { SchemaResult } from './schema-validation.ts';

/** From the moment the thread is ready; an honest schema takes a tenth of it. */
const VALIDATION_MS_MAX = 250;
const START_MS_MAX = 10_000;
const HEAP_MB_MAX = 96;
const STACK_MB_MAX = 4;

/** The work fits the buyer's schema. Runs in a thread of its own that is ended when it takes too long. */
export async function checkWorkProductSchema(
  request: Pick<CheckRequest, 'work_product' | 'expected_schema'>,
  signal?: AbortSignal,
): Promise<CheckOutcome> {
  if (request.expected_schema === undefined)
    return { check: 'work_product_schema', status: 'skipped', detail: { reason: 'no expected_schema' } };
  const value = parsedIfJson(request.work_product);
  const result = await validateInThread(request.expected_schema, value, signal);
  return {
    check: 'work_product_schema',
    status: result.valid ? 'passed' : 'failed',
    detail: {
      errors: result.errors,
      formats_checked: false,
      parsed_from_text: value !== request.work_product,
      ...(result.reason === undefined ? {} : { reason: result.reason }),
    },
  };
}

function validateInThread(
  schema: { [key: string]: JsonValue },
  value: JsonValue,
  signal: AbortSignal | undefined,
): Promise<SchemaResult> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(new URL('./schema-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, stackSizeMb: STACK_MB_MAX },
      env: {},
    });
    const stop = (result: SchemaResult): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(result);
      void worker.terminate();
    };
    const failed = (reason: string): void => stop({ valid: false, errors: [], reason });
    let timer = setTimeout(() => failed('the thread for the schema did not start'), START_MS_MAX);
    const abort = (): void => {
      clearTimeout(timer);
      void worker.terminate();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: 'ready' | SchemaResult) => {
      if (message !== 'ready') return stop(message);
      clearTimeout(timer);
      timer = setTimeout(() => failed(`applying the schema took more than ${VALIDATION_MS_MAX} ms`), VALIDATION_MS_MAX);
      worker.postMessage({ schema, value });
    });
    worker.on('error', () => failed('applying the schema took more memory or stack than is allowed'));
  });
}

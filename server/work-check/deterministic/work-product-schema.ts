import { Worker } from 'node:worker_threads';
import { type JsonValue, parsedIfJson } from '../../kernel/json-value.ts';
import type { CheckOutcome, CheckRequest } from '../contract.ts';
import type { SchemaResult } from './schema-validation.ts';

/**
 * Of the processor, from the moment the thread is ready; an honest schema takes a tenth of it. The time of day would
 * fail an honest schema on a machine that is busy with something else.
 */
const VALIDATION_CPU_MS_MAX = 250;
const CPU_LOOK_MS = 25;
/** By the clock, for a thread that gets no processor at all. */
const START_MS_MAX = 20_000;
const VALIDATION_MS_MAX = 10_000;
const TOO_LONG = `applying the schema took more than ${VALIDATION_CPU_MS_MAX} ms`;
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
    const end = (): void => {
      clearTimeout(timer);
      clearInterval(looks);
      signal?.removeEventListener('abort', abort);
      worker.removeAllListeners('message');
      void worker.terminate();
    };
    const stop = (result: SchemaResult): void => {
      end();
      resolve(result);
    };
    const failed = (reason: string): void => stop({ valid: false, errors: [], reason });
    const abort = (): void => {
      end();
      reject(signal?.reason);
    };
    let timer = setTimeout(() => failed('the thread for the schema did not start'), START_MS_MAX);
    let looks: NodeJS.Timeout | undefined;
    signal?.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: 'ready' | SchemaResult) => {
      if (message !== 'ready') return stop(message);
      clearTimeout(timer);
      timer = setTimeout(() => failed(TOO_LONG), VALIDATION_MS_MAX);
      looks = watchProcessor(worker, () => failed(TOO_LONG));
      worker.postMessage({ schema, value });
    });
    worker.on('error', () => failed('applying the schema took more memory or stack than is allowed'));
    worker.on('exit', () => failed('the thread for the schema ended by itself'));
  });
}

/** Calls `over` when the thread has had its time on the processor, counted from the first look. */
function watchProcessor(worker: Worker, over: () => void): NodeJS.Timeout {
  let before: number | undefined;
  return setInterval(() => {
    worker.cpuUsage().then(
      ({ user, system }) => {
        const used = (user + system) / 1_000;
        before ??= used;
        if (used - before > VALIDATION_CPU_MS_MAX) over();
      },
      // A thread that has ended meanwhile has given its answer.
      () => undefined,
    );
  }, CPU_LOOK_MS);
}

/** Stands for `node:worker_threads` in a browser: a thread for the buyer's schema, and its end of the line. */

type Listener = (message: never) => void;

/** Where the thread's code lies, beside the code that starts it. */
const code = 'schema-worker.js';

/** A worker of the browser, with as much of Node's as the check of a schema uses. */
export class Worker {
  readonly #worker = new globalThis.Worker(new URL(code, globalThis.location.href), { type: 'module' });

  on(event: 'message' | 'error' | 'exit', listener: Listener): void {
    if (event === 'message') this.#worker.onmessage = ({ data }) => listener(data as never);
    if (event === 'error') this.#worker.onerror = (fault) => listener(fault as never);
  }

  postMessage(message: unknown): void {
    this.#worker.postMessage(message);
  }

  removeAllListeners(_event: 'message'): void {
    this.#worker.onmessage = null;
  }

  terminate(): void {
    this.#worker.terminate();
  }

  /** Browsers do not tell: the limit by the clock holds alone. */
  async cpuUsage(): Promise<{ user: number; system: number }> {
    return { user: 0, system: 0 };
  }
}

/** The thread's end of the line. */
export const parentPort = {
  on(_event: 'message', listener: (message: unknown) => void): void {
    globalThis.onmessage = ({ data }) => listener(data);
  },
  postMessage(message: unknown): void {
    (globalThis as unknown as globalThis.Worker).postMessage(message);
  },
};

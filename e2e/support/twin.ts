import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { largestBytes } from '../../server/transports/body.ts';

/**
 * `TEST_PROCESSES=2` runs the service's tests unchanged on two web processes and two workers over one database: a
 * second process answers every other request, runs every other job and makes every other round.
 */
export const wantsTwin = process.env.TEST_PROCESSES === '2';

/** Tells the other process how far ahead the test's clock is. */
export const shiftHeader = 'x-test-clock-shift-ms';

/** What a worker has to do: a job, or with null one of each round. */
export interface Order {
  id: number;
  execute: string | null;
  shiftMs: number;
}

export interface Twin {
  /** Makes the other process answer. */
  answer(req: IncomingMessage, res: ServerResponse, shiftMs: number): null;
  /** Makes the other process work. Rejects with its error. */
  work(execute: string | null, shiftMs: number): Promise<void>;
  stop(): void;
}

/** Starts the other process on the database in `env`. */
export async function startTwin(env: Readonly<Record<string, string>>): Promise<Twin> {
  const child = fork(path.join(import.meta.dirname, 'twin-process.ts'), { env: { ...process.env, ...env } });
  child.setMaxListeners(0);
  const [{ port }] = await once(child, 'message');
  let orders = 0;
  return {
    answer(req, res, shiftMs) {
      void pass(req, res, [...req.rawHeaders, shiftHeader, String(shiftMs)], port);
      return null;
    },
    work: (execute, shiftMs) =>
      new Promise((resolve, reject) => {
        orders += 1;
        const id = orders;
        const hear = (told: { id: number; error: string | null }) => {
          if (told.id !== id) return;
          child.off('message', hear);
          if (told.error === null) resolve();
          else reject(new Error(told.error));
        };
        child.on('message', hear);
        child.send({ id, execute, shiftMs } satisfies Order);
      }),
    stop: () => void child.kill('SIGKILL'),
  };
}

/**
 * Passes a request on once all of it is here: what the other process refuses unread would stand before the next request
 * of its connection. A body over the cap stays here: it is refused by its length, and whoever still writes when the
 * other side closes never reads why. An answer may be a stream that goes on for as long as a check runs.
 */
async function pass(req: IncomingMessage, res: ServerResponse, headers: string[], port: number): Promise<void> {
  try {
    const body = await buffer(req);
    const onward = request({ host: '127.0.0.1', port, path: req.url, method: req.method, headers, agent: false });
    res.on('close', () => onward.destroy());
    if (body.length > largestBytes) onward.flushHeaders();
    else onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    onward.on('error', () => {});
    res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    await pipeline(answer, res);
  } catch {
    res.destroy();
  }
}

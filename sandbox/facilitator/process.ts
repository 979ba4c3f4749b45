import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { NodeUrls } from './facilitator.ts';

export type FacilitatorProcess = {
  readonly exited: Promise<void>;
  /** Makes it forget everything and settle on these nodes. Rejects with the sentence it ended with. */
  startAnew(nodeUrls: NodeUrls): Promise<void>;
  stop(): Promise<void>;
};

const STOP_MS_MAX = 2_000;

/** Starts the facilitator in a process of its own and waits until it listens. Rejects with the sentence it ended with. */
export async function forkFacilitator(port: number, nodeUrls: NodeUrls): Promise<FacilitatorProcess> {
  const child = fork(join(import.meta.dirname, 'main.ts'), [String(port)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  async function stop() {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
  }
  function startAnew(urls: NodeUrls): Promise<void> {
    child.send(urls);
    return new Promise((resolve, reject) => {
      void exited.then(() => reject(new Error('The facilitator ended before it was ready.')));
      child.once('message', (message: { ready: true } | { failed: string }) => {
        if ('failed' in message) reject(new Error(message.failed));
        else resolve();
      });
    });
  }
  await startAnew(nodeUrls);
  return { exited, startAnew, stop };
}

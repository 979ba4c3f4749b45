import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** An API process. */
export interface Door {
  readonly baseUrl: string;
  /** Its memory in bytes and its open file descriptors, after garbage collection. */
  memory(): Promise<{ rss: number; heapUsed: number; descriptors: number }>;
  /** What it has logged, one JSON object a line. */
  log(): string;
  /** Stops it; resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts a separate API process; it ends with this one. */
export async function startDoor(env: Readonly<Record<string, string>>): Promise<Door> {
  const child = fork(path.join(import.meta.dirname, 'door.ts'), {
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  });
  let logged = '';
  child.stderr?.on('data', (bytes) => {
    logged += bytes;
    process.stderr.write(bytes);
  });
  const [port] = await once(child, 'message');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async memory() {
      child.send('memory');
      const [memory] = await once(child, 'message');
      return memory;
    },
    log: () => logged,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

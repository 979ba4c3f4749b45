import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningProcess, startProcess } from '../commands/processes.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The service as production runs it: one API process and one worker on a given database. */
export interface RunningService {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

export async function startService(env: Record<string, string>): Promise<RunningService> {
  const start = (name: string, script: string): RunningProcess =>
    startProcess({
      name,
      command: process.execPath,
      args: [path.join(root, script)],
      env: { ...process.env, ...env, NODE_ENV: 'production' },
      show: 'problems',
    });
  const worker = start('worker', 'server/queue/worker.ts');
  const app = start('app', 'server/start.ts');
  const baseUrl = `http://127.0.0.1:${env.PORT}`;
  while (
    !(await fetch(`${baseUrl}/.well-known/svc`).then(
      (response) => response.ok,
      () => false,
    ))
  )
    await sleep(100);
  return {
    baseUrl,
    async stop() {
      await Promise.all([app.stop(), worker.stop()]);
    },
  };
}

/** Starts a script of this folder as a process that says when it is ready. */
export async function startPeer(script: string, ...args: string[]): Promise<{ stop(): void }> {
  const child = fork(path.join(import.meta.dirname, script), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return { stop: () => child.kill() };
}

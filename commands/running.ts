import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dataDir } from './data-dir.ts';

const OWNER_ONLY = 0o600;

/** What runs on this machine for a try: the process that started it, and the environment of its server. */
interface Running {
  readonly pid: number;
  readonly environment: Readonly<Record<string, string>>;
}

const fileIn = (folder: string): string => path.join(folder, 'running.json');

/** Notes what runs, for commands without an environment; call the result when it stops. */
export function noteRunning(folder: string, environment: Running['environment']): () => void {
  const running: Running = { pid: process.pid, environment };
  writeFileSync(fileIn(folder), JSON.stringify(running), { mode: OWNER_ONLY });
  const forget = () => rmSync(fileIn(folder), { force: true });
  // Ctrl-C ends this process without stopping its parts one by one.
  process.once('exit', forget);
  return forget;
}

/**
 * Without a `DATABASE_URL`, takes the environment of the demo that runs here, and says so in one line. Does nothing
 * where there is none: whoever needs a variable names it.
 */
export function useRunning(): void {
  if (process.env.DATABASE_URL) return;
  const running = readRunning(dataDir());
  if (!running) return;
  Object.assign(process.env, running.environment);
  console.error(`This is about the demo at ${running.environment.BASE_URL}; DATABASE_URL names another service.`);
}

function readRunning(folder: string): Running | null {
  try {
    const running: Running = JSON.parse(readFileSync(fileIn(folder), 'utf8'));
    // A demo that was killed leaves its note behind. Signal 0 only asks.
    process.kill(running.pid, 0);
    return running;
  } catch {
    return null;
  }
}

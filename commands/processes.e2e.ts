import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

type Command = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a shell that starts a sleeper, and prints both process ids. */
const TWO_GENERATIONS = `startProcess({
  name: 'family', command: 'sh', env: process.env, show: 'all',
  args: ['-c', 'sleep 600 & echo "pids $$ $!"; wait'],
});`;

describe('a command', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'leaves neither child nor grandchild behind when it gets %s',
    async (signal) => {
      const command = run(`${TWO_GENERATIONS} await new Promise(() => undefined);`);
      const family = await familyOf(command);
      expect(family.every(isAlive)).toBe(true);
      command.kill(signal);
      await once(command, 'exit');
      await untilAllEnded(family);
    },
  );

  it('leaves neither child nor grandchild behind when it fails', async () => {
    const command = run(`${TWO_GENERATIONS} await sleep(500); throw new Error('a bug');`);
    const family = await familyOf(command);
    expect(await once(command, 'exit')).toEqual([1, null]);
    await untilAllEnded(family);
  });

  it('leaves no grandchild behind when the child between them dies', async () => {
    const command = run(`${TWO_GENERATIONS} await new Promise(() => undefined);`);
    const [child = 0, grandchild = 0] = await familyOf(command);
    process.kill(child, 'SIGKILL');
    await untilAllEnded([grandchild]);
    command.kill('SIGINT');
  });

  it('ends what does not want to end', async () => {
    const stubborn = `startProcess({
      name: 'stubborn', command: 'sh', env: process.env, show: 'all',
      args: ['-c', 'trap "" TERM INT; echo "pids $$ $$"; while true; do sleep 1; done'],
    });`;
    const command = run(`${stubborn} await new Promise(() => undefined);`);
    const family = await familyOf(command);
    command.kill('SIGINT');
    await once(command, 'exit');
    expect(family.some(isAlive)).toBe(false);
  });

  it('reports a precondition in its own words and a bug with its place', async () => {
    expect(await outcome(`throw new Refusal('Port 80 is in use.');`)).toEqual({
      code: 1,
      stderr: 'Port 80 is in use.\n',
    });
    const bug = await outcome(`throw new Error('a bug');`);
    expect(bug.code).toBe(1);
    expect(bug.stderr).toMatch(/Error: a bug\n\s+at /);
  });
});

/** Runs the body as the main function of a command. */
function run(body: string): Command {
  const script = `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { runCommand } from './commands/command.ts';
    import { startProcess } from './commands/processes.ts';
    import { Refusal } from './commands/refusal.ts';
    await runCommand(async () => { ${body} });`;
  const root = path.resolve(import.meta.dirname, '..');
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outcome(body: string): Promise<{ code: number; stderr: string }> {
  const command = run(body);
  let stderr = '';
  command.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
  const [code] = await once(command, 'close');
  return { code, stderr };
}

async function familyOf(command: Command): Promise<number[]> {
  for await (const line of createInterface({ input: command.stdout })) {
    const pids = /pids (\d+) (\d+)/.exec(line);
    if (pids) return pids.slice(1).map(Number);
  }
  throw new Error('The command ended before its children started.');
}

/** The watcher of a killed command needs a moment. */
async function untilAllEnded(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await sleep(50);
}

/** A zombie is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = `/proc/${pid}/stat`;
  return !existsSync(status) || !/\) Z /.test(readFileSync(status, 'utf8'));
}

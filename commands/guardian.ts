/**
 * Outlives the command that started it by a moment and ends what that command left running, however it ended. Every
 * line on stdin is `+ID SIGNAL` for a process group to watch or `-ID` for one that has ended. When stdin closes, the
 * command is gone: each group left gets its signal, and after a while the one that cannot be refused.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 5_000;
const POLL_MS = 100;

const groups = new Map<number, NodeJS.Signals>();

for await (const line of createInterface({ input: process.stdin })) {
  const [group, signal] = line.slice(1).split(' ');
  if (line.startsWith('+')) groups.set(Number(group), signal as NodeJS.Signals);
  else groups.delete(Number(group));
}

for (const [group, signal] of groups) send(group, signal);
const deadline = performance.now() + PATIENCE_MS;
while (performance.now() < deadline && [...groups.keys()].some((group) => send(group, 0))) await sleep(POLL_MS);
for (const group of groups.keys()) send(group, 'SIGKILL');

/** Signals a process group; `false` when none of it is left. Signal 0 only asks. */
function send(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { Refusal } from './refusal.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const PROGRAMS = path.join(ROOT, 'node_modules', '.bin');
/** How long a process may take to end before it is killed. */
const STOP_TIMEOUT_MS = 10_000;
/** `$0` is the group and `$1` the signal; SIGKILL follows five seconds later. */
const WATCH = `cat > /dev/null
kill -s "$1" -- "-$0" || exit 0
for tick in $(seq 50); do kill -s 0 -- "-$0" || exit 0; sleep 0.1; done
kill -s KILL -- "-$0"`;
const TAIL_LINES = 10;
/** Width of the longest name printed before a line. */
const NAME_WIDTH = 8;

export interface ProcessOptions {
  /** Printed before each of its lines and in the sentence that reports its end. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Which lines reach the terminal: all, or those that report a problem. */
  readonly show: 'all' | 'problems';
}

export interface RunningProcess {
  readonly name: string;
  /** Undefined when the command could not be run. */
  readonly pid: number | undefined;
  /** Resolves with one sentence and the last lines when it ends unexpectedly. */
  readonly died: Promise<string>;
  /** Its last output, readable. */
  tail(): readonly string[];
  /** Ends it, by force after ten seconds; resolves when it and all it started are gone. */
  stop(): Promise<void>;
  /** Kills it as a crash would; resolves when it and all it started are gone. */
  kill(): Promise<void>;
}

/** Starts a process whose lines are printed with its name, and that ends, with all it started, when this one does. */
export function startProcess({ name, command, args, env, show }: ProcessOptions): RunningProcess {
  const child = spawnWatched(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }, 'SIGTERM');
  const tail: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      const { text, isProblem } = readable(line);
      tail.push(text);
      tail.splice(0, tail.length - TAIL_LINES);
      if (show === 'all' || isProblem) printLine(name, text);
    });
  }
  let isAsked = false;
  const end = (signal: NodeJS.Signals) => {
    isAsked = true;
    return stopGroup(child, signal);
  };
  const died = endingOf(child).then((how) => {
    if (isAsked || isStopping) return new Promise<never>(() => undefined);
    const reason = typeof how === 'number' ? `exit code ${how}` : how;
    return [`The ${name} ended by itself (${reason}). Its last lines:`, ...tail].join('\n  ');
  });
  return { name, pid: child.pid, died, tail: () => tail, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

/** One line of a process, after its name. */
export function printLine(name: string, text: string): void {
  console.log(`${styleText('dim', `${name.padEnd(NAME_WIDTH)} |`)} ${text}`);
}

/**
 * Spawns a process as the leader of its own group: a terminal's Ctrl-C does not reach it before we decide the order,
 * and its whole group can be ended even when we no longer can.
 */
export function spawnWatched(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  stopSignal: NodeJS.Signals,
): ChildProcess {
  if (isStopping) throw new Refusal('Interrupted.');
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    running.set(child, stopSignal);
    child.once('exit', () => {
      signalGroup(pid, 'SIGKILL');
      running.delete(child);
    });
    watchOver(child, pid, stopSignal);
  }
  return child;
}

/** Runs a program that npm installed, with its output on ours. */
export function runProgram(name: string, args: readonly string[], env = process.env): Promise<number | NodeJS.Signals> {
  return endingOf(spawnProgram(name, args, env, 'inherit'));
}

/** The same with its output captured, for error messages. */
export async function runProgramQuietly(
  name: string,
  args: readonly string[],
  env = process.env,
): Promise<{ ending: number | NodeJS.Signals; output: string }> {
  const program = spawnProgram(name, args, env, 'pipe');
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk));
  return { ending: await endingOf(program), output };
}

function spawnProgram(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: 'inherit' | 'pipe',
): ChildProcess {
  const options: SpawnOptions = { cwd: ROOT, env, stdio: ['ignore', output, output] };
  return spawnWatched(process.execPath, [path.join(PROGRAMS, name), ...args], options, 'SIGTERM');
}

/** Ends all running processes, the newest first. None can be started afterwards. */
export async function stopAll(): Promise<void> {
  isStopping = true;
  for (const [child, signal] of [...running].reverse()) await stopGroup(child, signal);
}

/** Ends a process that `spawnWatched` started, with its group; resolves when it has ended. */
export async function stopGroup(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  signalGroup(child.pid, signal);
  const timer = setTimeout(() => child.pid !== undefined && signalGroup(child.pid, 'SIGKILL'), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(timer);
}

/** How a process ended: its exit code or signal. A command that cannot be run ends with 127. */
export async function endingOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  try {
    const [code, signal] = await once(child, 'close');
    return code ?? signal;
  } catch {
    return 127;
  }
}

const running = new Map<ChildProcess, NodeJS.Signals>();
let isStopping = false;

/**
 * A shell that ends the group when our end of its pipe closes, which happens however we end, kill -9 included. It exits
 * with the process it watches.
 */
function watchOver(child: ChildProcess, pid: number, stopSignal: NodeJS.Signals): void {
  const watcher = spawn('/bin/sh', ['-c', WATCH, String(pid), stopSignal.slice('SIG'.length)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.once('exit', () => watcher.pid !== undefined && signalGroup(watcher.pid, 'SIGKILL'));
  watcher.stdin.on('error', () => undefined);
  // It waits for us; we don't wait for it.
  watcher.unref();
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone.
  }
}

/** The server logs one JSON object per line: `{"event": "job_started", "job_key": …}`. Other lines pass unchanged. */
function readable(line: string): { text: string; isProblem: boolean } {
  if (!line.startsWith('{')) return { text: line, isProblem: /\berror\b|\bfail|\bwarn/i.test(line) };
  try {
    const { event, ...fields }: Record<string, unknown> = JSON.parse(line);
    const pairs = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    return { text: [event, ...pairs].join(' '), isProblem: 'error' in fields };
  } catch {
    return { text: line, isProblem: true };
  }
}

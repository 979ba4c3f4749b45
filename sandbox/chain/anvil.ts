// anvil, the Ethereum node of the sandbox: found, started, stopped, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** A running anvil. `exited` settles when it ends, by `stop` or by itself. */
export type Anvil = { readonly rpcUrl: string; readonly exited: Promise<void>; stop(): Promise<void> };

// More than any reorganisation that tests ask for.
const STATES_KEPT = 64;
// Finality: two epochs, 24 blocks, beyond those reorganisations.
const SLOTS_IN_AN_EPOCH = 12;
const START_MS_MAX = 120_000;
const STOP_MS_MAX = 5_000;
const ERROR_CHARACTERS_MAX = 2_000;

/**
 * The anvil binary: of the npm package for `platform` (such as `linux-amd64`), else `anvil` in a folder of `path`.
 * Throws one sentence that says what to install when there is neither.
 */
export function findAnvil(platform = thisPlatform(), path = process.env.PATH ?? ''): string {
  const packageName = `@foundry-rs/anvil-${platform}`;
  for (const binary of [packagedBinary(packageName), ...path.split(delimiter).map((folder) => join(folder, 'anvil'))]) {
    if (binary !== undefined && isAbsolute(binary) && existsSync(binary)) return binary;
  }
  throw new Error(
    `The chains need anvil: run "npm install ${packageName}", or install Foundry so that anvil is on PATH.`,
  );
}

function thisPlatform(): string {
  return `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
}

/** undefined when the package is not installed: npm skips it on other platforms. */
function packagedBinary(packageName: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), 'bin', 'anvil');
  } catch {
    return undefined;
  }
}

/**
 * Starts anvil on a port that the system chooses. The chain's state is loaded from `stateFile` when it exists and
 * written back when anvil ends orderly. Rejects with a sentence when it ends before it listens.
 */
export async function startAnvil(chainId: number, stateFile: string): Promise<Anvil> {
  const listening = ['--chain-id', String(chainId), '--host', '127.0.0.1', '--port', '0'];
  const keeping = ['--state', stateFile, '--prune-history', String(STATES_KEPT), '--cache-path', dirname(stateFile)];
  const finality = ['--slots-in-an-epoch', String(SLOTS_IN_AN_EPOCH)];
  // detached: Ctrl-C in the terminal reaches the sandbox only, which then stops its parts in order.
  const child = spawn(findAnvil(), [...listening, ...keeping, ...finality], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const lifeline = endWithUs(child);
  void exited.then(() => lifeline.kill('SIGKILL'));
  const port = await listeningPort(child, chainId, stateFile);
  return { rpcUrl: `http://127.0.0.1:${port}`, exited, stop: () => stop(child, exited) };
}

function listeningPort(child: ChildProcess, chainId: number, stateFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let complaint = '';
    const fail = () => {
      clearTimeout(timer);
      const reason = complaint.trim().slice(0, ERROR_CHARACTERS_MAX) || 'it gave no reason';
      reject(new Error(`anvil for chain ${chainId} did not start (state file ${stateFile}): ${reason}`));
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX);
    child.once('error', (error) => {
      complaint = error.message;
      fail();
    });
    child.once('exit', fail);
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-ERROR_CHARACTERS_MAX);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (printed.length > ERROR_CHARACTERS_MAX * 2) return;
      printed += chunk.toString();
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve(Number(port));
    });
  });
}

/**
 * A shell that stops anvil once our end of a pipe closes, however this process ends: even kill -9 leaves nothing
 * running and still saves the chain.
 */
function endWithUs(child: ChildProcess): ChildProcess {
  const script = 'read -r end; kill -TERM "$0" 2> /dev/null';
  return spawn('/bin/sh', ['-c', script, String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await exited;
  clearTimeout(timer);
}

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Address, Hex } from 'viem';
import { SANDBOX_ACCESS_KEY_ID, SANDBOX_SECRET_ACCESS_KEY } from './archive/keys.ts';
import { SANDBOX_BUCKET } from './archive/server.ts';
import { privateKeyOf, sellerAccount } from './chain/accounts.ts';
import type { ChainId } from './chain/networks.ts';
import { type Ports, ports as portScheme } from './ports.ts';
import { SANDBOX_SECRET_KEY, SANDBOX_WEBHOOK_SECRET } from './stripe/keys.ts';

/** A running sandbox and the addresses of its parts. */
export type Sandbox = {
  readonly ports: Ports;
  /** The control port's address. */
  readonly controlUrl: string;
  readonly facilitatorUrl: string;
  /** JSON-RPC addresses by chain id. */
  readonly rpcUrls: Readonly<Record<ChainId, string>>;
  readonly smtpUrl: string;
  /** The address of the stand-in for Stripe, with the key and webhook secret of its one seller. */
  readonly stripe: { readonly url: string; readonly secretKey: string; readonly webhookSecret: string };
  /** The stand-in for a bucket of S3, with its key. */
  readonly archive: { readonly url: string; readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The account to be paid at unless configured otherwise. */
  readonly payTo: Address;
  /** Its private key, which signs transfers back from that account. */
  readonly payToKey: Hex;
  /** The root process. */
  readonly pid: number;
  /** Forgets everything and starts every part again on the same ports. Rejects as `startSandbox` does. */
  startAnew(): Promise<void>;
  /** Stops everything; resolves when it has ended and its state is on disk. */
  stop(): Promise<void>;
};

export type SandboxOptions = {
  /** The app's port, from which every other follows. */
  readonly port: number;
  /** Its files lie in the subfolder `sandbox`. */
  readonly dataDir: string;
  /** `false` deletes the folder when it ends, however it ends. */
  readonly keepsData?: boolean;
  readonly log?: (line: string) => void;
};

/** For a start that hangs, with patience for a busy machine. A part that cannot start says so and ends. */
const START_MS_MAX = 180_000;
const STOP_MS_MAX = 10_000;

/**
 * Starts the sandbox as its own process and resolves when every part answers. It ends with this process. Rejects with
 * the sentence it ended with, for example that a port is in use.
 */
export async function startSandbox({ port, dataDir, keepsData = true, log }: SandboxOptions): Promise<Sandbox> {
  const ports = portScheme(port);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, KEEP_DATA: keepsData ? '1' : '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The sandbox has no output to listen to.');
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let complaint = '';
  createInterface({ input: stderr }).on('line', (line) => {
    complaint ||= line;
    log?.(line);
  });
  const printed = createInterface({ input: stdout });
  if (log) printed.on('line', log);

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
  }

  async function untilReady(): Promise<void> {
    const timer = setTimeout(() => {
      complaint ||= `The sandbox did not start within ${START_MS_MAX / 1000} s.`;
      void stop();
    }, START_MS_MAX);
    await new Promise<void>((resolve, reject) => {
      void exited.then(() => reject(new Error(complaint || 'The sandbox ended before it was ready.')));
      printed.on('line', function hear(line) {
        if (line !== 'sandbox ready') return;
        printed.off('line', hear);
        resolve();
      });
    }).finally(() => clearTimeout(timer));
  }

  await untilReady();
  const url = (part: number) => `http://127.0.0.1:${part}`;
  return {
    ports,
    controlUrl: url(ports.control),
    facilitatorUrl: url(ports.facilitator),
    rpcUrls: { 84532: url(ports.chains[84532]), 421614: url(ports.chains[421614]) },
    smtpUrl: `smtp://127.0.0.1:${ports.smtp}`,
    stripe: { url: url(ports.stripe), secretKey: SANDBOX_SECRET_KEY, webhookSecret: SANDBOX_WEBHOOK_SECRET },
    archive: {
      url: `${url(ports.archive)}/${SANDBOX_BUCKET}`,
      accessKeyId: SANDBOX_ACCESS_KEY_ID,
      secretAccessKey: SANDBOX_SECRET_ACCESS_KEY,
    },
    payTo: sellerAccount().address,
    payToKey: privateKeyOf(sellerAccount()),
    pid: child.pid ?? 0,
    startAnew: async () => {
      if (child.connected) child.send('anew');
      await untilReady();
    },
    stop,
  };
}

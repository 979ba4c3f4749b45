// Starts the sandbox as a child process; for tests, which each have one of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { sellerAccount } from './chain/accounts.ts';
import { type Ports, ports } from './ports.ts';

export type Sandbox = {
  readonly ports: Ports;
  readonly controlUrl: string;
  readonly facilitatorUrl: string;
  readonly rpcUrls: Readonly<Record<84532 | 421614, string>>;
  readonly smtpUrl: string;
  /** The address that buyers pay. */
  readonly payTo: string;
  stop(): Promise<void>;
};

/** Resolves when every part listens; rejects with the sentence that the sandbox ended with. */
export async function startSandbox(options: { port: number; dataDir: string }): Promise<Sandbox> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts')], {
    env: { ...process.env, PORT: String(options.port), DATA_DIR: options.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000);
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'sandbox ready') resolve();
    });
    child.once('exit', () => reject(new Error(complaint.trim() || 'The sandbox ended before it was ready.')));
  });
  const scheme = ports(options.port);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    ports: scheme,
    controlUrl: at(scheme.control),
    facilitatorUrl: at(scheme.facilitator),
    rpcUrls: { 84532: at(scheme.chains[84532]), 421614: at(scheme.chains[421614]) },
    smtpUrl: `smtp://127.0.0.1:${scheme.smtp}`,
    payTo: sellerAccount().address,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { DEFAULT_ASSETS } from '@x402/evm';
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch';
import { type Address, createPublicClient, http } from 'viem';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChainId, NETWORKS, USDC_ABI } from './chain/networks.ts';
import { controlClient } from './control-client.ts';
import { freePort, onFreePort } from './ports.ts';
import { type Sandbox, startSandbox } from './start.ts';
import { buyer, type Payment, PRICE_UNITS, signPayment, startSeller } from './stock-payment.ts';
import { temporarySandbox } from './temporary-sandbox.ts';

const WALLET_UNITS = 1_000_000_000n;

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(dataDir = temporaryFolder()): Promise<Sandbox> {
  const sandbox = await onFreePort((port) => startSandbox({ port, dataDir }));
  cleanups.push(sandbox.stop);
  return sandbox;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function balance(sandbox: Sandbox, chainId: ChainId, owner: Address): Promise<bigint> {
  const network = NETWORKS.find((one) => one.chainId === chainId);
  if (!network) throw new Error(`There is no chain ${chainId}.`);
  const client = createPublicClient({ transport: http(sandbox.rpcUrls[chainId]) });
  const args = [owner];
  const units = await client.readContract({ address: network.asset, abi: USDC_ABI, functionName: 'balanceOf', args });
  return BigInt(String(units));
}

/** The process and its descendants. */
async function processTree(root: number): Promise<number[]> {
  const processes = await listProcesses();
  const below = (parent: number): number[] =>
    processes.filter(({ ppid }) => ppid === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  return [root, ...below(root)];
}

/** The children of a process whose command line contains the text. */
async function processesWith(parent: number, text: string): Promise<number[]> {
  const processes = await listProcesses();
  return processes.filter(({ ppid, command }) => ppid === parent && command.includes(text)).map(({ pid }) => pid);
}

async function listProcesses(): Promise<{ pid: number; ppid: number; command: string }[]> {
  const list = spawn('ps', ['-axo', 'pid=,ppid=,args='], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of list.stdout) text += chunk;
  return text.split('\n').map((line) => {
    const [pid, ppid, ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), ppid: Number(ppid), command: command.join(' ') };
  });
}

/** Resolves when all are gone; bounded by the test's own time limit. */
async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await sleep(20);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await temporarySandbox();
    return sandbox.stop;
  });

  it('lets a stock client pay a stock seller on both chains', async () => {
    const control = controlClient(sandbox.controlUrl);
    const seller = await startSeller(sandbox);
    cleanups.push(() => seller.server.close());
    for (const { chainId, network } of NETWORKS) {
      const wallet = await control.wallet(network);
      expect(await balance(sandbox, chainId, wallet.address)).toBe(WALLET_UNITS);
      const response = await wrapFetchWithPayment(fetch, buyer(wallet.private_key, network))(`${seller.url}/thing`);
      expect([response.status, await response.text()]).toEqual([200, 'sold']);
      const receipt = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
      expect(receipt).toMatchObject({ success: true, network, payer: wallet.address });
      expect(await control.transfers(chainId, { from: wallet.address })).toMatchObject([
        { to: sandbox.payTo, amount: PRICE_UNITS.toString(), transaction: receipt.transaction },
      ]);
      expect(await balance(sandbox, chainId, wallet.address)).toBe(WALLET_UNITS - PRICE_UNITS);
    }
  });

  it('places the token where x402 and its clients expect USDC, under the name they sign', async () => {
    for (const { network, chainId, asset } of NETWORKS) {
      const [expected] = DEFAULT_ASSETS[network] ?? [];
      const client = createPublicClient({ transport: http(sandbox.rpcUrls[chainId]) });
      const read = (functionName: string) => client.readContract({ address: asset, abi: USDC_ABI, functionName });
      expect(expected).toMatchObject({
        asset,
        name: await read('name'),
        version: await read('version'),
        decimals: await read('decimals'),
      });
    }
  });

  it('funds a wallet on the network that is asked for, or on both', async () => {
    const control = controlClient(sandbox.controlUrl);
    const one = await control.wallet('eip155:421614');
    expect(await balance(sandbox, 421614, one.address)).toBe(WALLET_UNITS);
    expect(await balance(sandbox, 84532, one.address)).toBe(0n);
    const both = await control.wallet();
    expect(both.private_key).not.toBe(one.private_key);
    expect(await balance(sandbox, 84532, both.address)).toBe(WALLET_UNITS);
    expect(await balance(sandbox, 421614, both.address)).toBe(WALLET_UNITS);
    await expect(control.wallet('eip155:1')).rejects.toThrow(
      '404: There is no chain eip155:1; the sandbox has eip155:84532 and eip155:421614.',
    );
  });

  it('brands its answers and its page, and answers 404 and 405 in JSON', async () => {
    const { controlUrl } = sandbox;
    const page = await fetch(controlUrl);
    expect(page.headers.get('x-sandbox')).toBe('LOCAL SANDBOX');
    expect(await page.text()).toContain('<h1>LOCAL SANDBOX</h1>');
    expect(await (await fetch(`${controlUrl}/health`)).json()).toEqual({ sandbox: 'LOCAL SANDBOX', ready: true });
    const unknown = await fetch(`${controlUrl}/nothing`);
    expect([unknown.status, (await unknown.json()).error]).toEqual([404, 'not_found']);
    const wrong = await fetch(`${controlUrl}/wallets`);
    expect([wrong.status, (await wrong.json()).error]).toEqual([405, 'method_not_allowed']);
  });

  it('refuses a body over its bound, one that is not JSON, and a name for loopback that is not its own', async () => {
    const { controlUrl, ports } = sandbox;
    const post = (body: string) => fetch(`${controlUrl}/wallets`, { method: 'POST', body });
    expect((await post(`{"network":"${'x'.repeat(65_536)}"}`)).status).toBe(413);
    expect((await post('{')).status).toBe(400);
    expect((await post('{"netwrk":"eip155:84532"}')).status).toBe(400);
    expect(await statusWithHost(ports.control, 'attacker.example')).toBe(403);
  });
});

describe('a restart of the sandbox', () => {
  it('keeps balances and transfers, and the next payment settles', async () => {
    const dataDir = temporaryFolder();
    const before = await start(dataDir);
    const { address, private_key } = await controlClient(before.controlUrl).wallet();
    const payment = await signPayment(before, private_key, 'eip155:84532');
    await settle(before, payment);
    await before.stop();
    const after = await start(dataDir);
    expect(await balance(after, 84532, address)).toBe(WALLET_UNITS - PRICE_UNITS);
    expect(await balance(after, 421614, address)).toBe(WALLET_UNITS);
    expect(await controlClient(after.controlUrl).transfers(84532, { nonce: payment.nonce })).toHaveLength(1);
    const next = await signPayment(after, private_key, 'eip155:84532');
    expect(await settle(after, next)).toMatchObject({ success: true });
  });
});

describe('a sandbox that is started anew', () => {
  it('has forgotten everything, troubles too, and works on the same ports', async () => {
    const sandbox = await start(temporaryFolder());
    const control = controlClient(sandbox.controlUrl);
    const { address, private_key } = await control.wallet();
    const payment = await signPayment(sandbox, private_key, 'eip155:84532');
    await settle(sandbox, payment);
    await control.chainFault(421614, { mode: 'stall' });
    await control.facilitatorFault({ mode: 'error_500', times: 'always' });

    await sandbox.startAnew();
    expect(await balance(sandbox, 84532, address)).toBe(0n);
    expect(await balance(sandbox, 421614, address)).toBe(0n);
    expect(await control.transfers(84532, { nonce: payment.nonce })).toEqual([]);
    const settlements = await fetch(`${sandbox.facilitatorUrl}/sandbox/settlements`);
    expect(await settlements.json()).toEqual({ settlements: [], total: 0 });
    const another = await control.wallet();
    const next = await signPayment(sandbox, another.private_key, 'eip155:421614');
    expect(await settle(sandbox, next)).toMatchObject({ success: true });
  });
});

describe('the end of the sandbox', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('leaves no process behind when it gets %s', async (signal) => {
    const sandbox = await start();
    const family = await processTree(sandbox.pid);
    // The sandbox, two chains with their watchers, and the facilitator.
    expect(family).toHaveLength(6);
    process.kill(sandbox.pid, signal);
    await untilGone(family);
  });

  it('comes when one of its parts dies', async () => {
    const lines: string[] = [];
    const port = await freePort();
    const sandbox = await startSandbox({ port, dataDir: temporaryFolder(), log: (line) => lines.push(line) });
    cleanups.push(sandbox.stop);
    const family = await processTree(sandbox.pid);
    const [facilitator] = await processesWith(sandbox.pid, 'facilitator/main.ts');
    process.kill(facilitator ?? 0, 'SIGKILL');
    await untilGone(family);
    expect(lines.at(-1)).toBe('LOCAL SANDBOX: The facilitator ended by itself.');
  });

  it('saves the chains when it is killed outright', async () => {
    const dataDir = temporaryFolder();
    const killed = await start(dataDir);
    const { address } = await controlClient(killed.controlUrl).wallet();
    const family = await processTree(killed.pid);
    process.kill(killed.pid, 'SIGKILL');
    await untilGone(family);
    expect(await balance(await start(dataDir), 84532, address)).toBe(WALLET_UNITS);
  });

  it('comes when the process that started it disappears', async () => {
    const options = JSON.stringify({ port: await freePort(), dataDir: temporaryFolder() });
    const program = `const { startSandbox } = await import(${JSON.stringify(join(import.meta.dirname, 'start.ts'))});
      console.log((await startSandbox(${options})).pid);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(parent.stdout, 'data');
    const family = await processTree(Number(line));
    expect(family).toHaveLength(6);
    parent.kill('SIGKILL');
    await untilGone(family);
  });

  it.each([
    ['control port', 1010],
    ['facilitator', 1011],
    ['chain eip155:84532', 1012],
    ['chain eip155:421614', 1013],
    ['mail server', 1014],
    ['payment provider', 1016],
  ])('comes with one sentence when the port of the %s is taken', async (part, offset) => {
    const port = await freePort();
    const other = createServer().listen(port + offset, '127.0.0.1');
    cleanups.push(() => other.close());
    await once(other, 'listening');
    const lines: string[] = [];
    const starting = startSandbox({ port, dataDir: temporaryFolder(), log: (line) => lines.push(line) });
    await expect(starting).rejects.toThrow(
      `LOCAL SANDBOX: Port ${port + offset} is in use by another program, so the sandbox's ${part} cannot start;`,
    );
    expect(lines.filter((line) => line.includes('in use'))).toHaveLength(1);
  });

  it('comes with a sentence that names the file when a chain cannot be read', async () => {
    const dataDir = temporaryFolder();
    await (await start(dataDir)).stop();
    const file = join(dataDir, 'sandbox', 'chain-84532.json');
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    await expect(start(dataDir)).rejects.toThrow(file);
  });
});

async function settle(sandbox: Sandbox, { payload, requirements }: Payment) {
  return new HTTPFacilitatorClient({ url: sandbox.facilitatorUrl }).settle(payload, requirements);
}

async function statusWithHost(port: number, host: string): Promise<number | undefined> {
  const asked = request({ port, host: '127.0.0.1', path: '/health', headers: { host } }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

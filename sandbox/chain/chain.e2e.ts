import { HTTPFacilitatorClient } from '@x402/core/server';
import { createPublicClient, http } from 'viem';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../control-client.ts';
import type { Sandbox } from '../start.ts';
import { type Payment, signPayment } from '../stock-payment.ts';
import { temporarySandbox } from '../temporary-sandbox.ts';

const NETWORK = 'eip155:421614';
const CHAIN_ID = 421614;

let sandbox: Sandbox;
let control: ReturnType<typeof controlClient>;

beforeAll(async () => {
  sandbox = await temporarySandbox();
  control = controlClient(sandbox.controlUrl);
  return sandbox.stop;
});

afterEach(async () => {
  await control.clearChainFaults(CHAIN_ID);
});

async function newPayment(): Promise<Payment> {
  const { private_key } = await control.wallet(NETWORK);
  return signPayment(sandbox, private_key, NETWORK);
}

function settle({ payload, requirements }: Payment) {
  return new HTTPFacilitatorClient({ url: sandbox.facilitatorUrl }).settle(payload, requirements);
}

async function collected({ nonce }: Payment): Promise<number> {
  return (await control.transfers(CHAIN_ID, { nonce })).length;
}

function provider(timeout?: number) {
  const url = sandbox.rpcUrls[CHAIN_ID];
  return createPublicClient({ cacheTime: 0, transport: http(url, { retryCount: 0, ...(timeout ? { timeout } : {}) }) });
}

describe('the JSON-RPC address of a chain', () => {
  it('stalls until the fault is cleared, while the facilitator goes on settling', async () => {
    await control.chainFault(CHAIN_ID, { mode: 'stall' });
    const waiting = provider().getChainId();
    await expect(provider(100).getChainId()).rejects.toThrow('took too long');
    expect(await settle(await newPayment())).toMatchObject({ success: true });
    await control.clearChainFaults(CHAIN_ID);
    expect(await waiting).toBe(CHAIN_ID);
  });

  it('answers late when it is slow', async () => {
    await control.chainFault(CHAIN_ID, { mode: 'slow', ms: 300 });
    await expect(provider(100).getChainId()).rejects.toThrow('took too long');
    expect(await provider().getChainId()).toBe(CHAIN_ID);
  });

  it('fails with the status it was told to', async () => {
    await control.chainFault(CHAIN_ID, { mode: 'error', status: 429 });
    await expect(provider().getChainId()).rejects.toThrow('429');
    expect(await control.chains()).toMatchObject([{ rpc_trouble: null }, { rpc_trouble: 'error' }]);
    await control.clearChainFaults(CHAIN_ID);
    expect(await provider().getChainId()).toBe(CHAIN_ID);
  });

  it('can be called by a page of another origin, as a browser wallet does', async () => {
    const url = sandbox.rpcUrls[CHAIN_ID] ?? '';
    const response = await fetch(url, {
      method: 'POST',
      headers: { origin: 'http://localhost:3000', 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ result: '0x66eee' });
  });
});

describe('a chain', () => {
  it('loses a payment when it goes back to a snapshot, and takes the next one', async () => {
    const { snapshot_id = '0x' } = await control.chainFault(CHAIN_ID, { mode: 'snapshot' });
    const payment = await newPayment();
    await settle(payment);
    expect(await collected(payment)).toBe(1);
    await control.chainFault(CHAIN_ID, { mode: 'revert', snapshot_id });
    expect(await collected(payment)).toBe(0);
    expect(await settle(await newPayment())).toMatchObject({ success: true });
  });

  it('loses a payment but no height when it is reorganised, and takes the next one', async () => {
    const payment = await newPayment();
    await settle(payment);
    const height = await provider().getBlockNumber();
    await control.chainFault(CHAIN_ID, { mode: 'reorg', depth: 1 });
    expect(await collected(payment)).toBe(0);
    expect(await provider().getBlockNumber()).toBeGreaterThanOrEqual(height);
    expect(await settle(await newPayment())).toMatchObject({ success: true });
  });

  it('leaves a payment waiting while nothing is mined, and takes it when mining goes on', async () => {
    await control.chainFault(CHAIN_ID, { mode: 'automine_off' });
    const payment = await newPayment();
    const answer = settle(payment);
    await expect
      .poll(async () => (await control.settlements({ nonce: payment.nonce }))[0]?.transactions.length)
      .toBe(1);
    expect(await collected(payment)).toBe(0);
    await control.clearChainFaults(CHAIN_ID);
    expect(await answer).toMatchObject({ success: true });
    expect(await collected(payment)).toBe(1);
  });

  it('grows by as many blocks as are asked for', async () => {
    const before = await provider().getBlockNumber();
    const { chain } = await control.chainFault(CHAIN_ID, { mode: 'mine', blocks: 5 });
    expect(BigInt(chain.block_number)).toBeGreaterThanOrEqual(before + 5n);
  });

  it('has a new block every few seconds even when nobody pays', async () => {
    const before = await provider().getBlockNumber();
    await expect.poll(() => provider().getBlockNumber(), { timeout: 15_000 }).toBeGreaterThan(before);
  });

  it('refuses a snapshot that it does not have, a reorganisation that is too deep, and an unknown fault', async () => {
    const fault = control.chainFault;
    await expect(fault(CHAIN_ID, { mode: 'revert', snapshot_id: '0x999' })).rejects.toThrow('409');
    await expect(fault(CHAIN_ID, { mode: 'reorg', depth: 13 })).rejects.toThrow('400');
    await expect(fault(1, { mode: 'stall' })).rejects.toThrow('404: There is no chain 1;');
  });

  it('lets an authorization expire when its time is moved on', async () => {
    const payment = await newPayment();
    await control.chainFault(CHAIN_ID, { mode: 'advance_time', seconds: 3_600 });
    expect(await settle(payment)).toMatchObject({ success: false });
    expect(await collected(payment)).toBe(0);
  });
});

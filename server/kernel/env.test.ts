import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from './env.ts';

const secret = 'A'.repeat(43);
const local = {
  DATABASE_URL: 'postgresql://localhost/check',
  BASE_URL: 'http://localhost:3000',
  ENVIRONMENT: 'test',
  SECRET_KEY: secret,
  NEXTAUTH_SECRET: secret,
  RECEIPT_KEYS_FILE: '/tmp/keys.json',
  X402_FACILITATOR_URL: 'http://127.0.0.1:4011',
  X402_PAY_TO: `0x${'1'.repeat(40)}`,
  X402_NETWORKS: 'eip155:84532',
  X402_RPC_URLS: '84532=http://127.0.0.1:4012',
};
const faultsOf = (env: Record<string, string>) => {
  try {
    readConfiguration(env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

describe('the environment', () => {
  it('names every variable that is missing or malformed, and all of them at once', () => {
    const { SECRET_KEY: _, ...rest } = local;
    const faults = faultsOf({ ...rest, DATABASE_URL: 'mysql://nowhere', X402_PAY_TO: 'me' });
    expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual([
      'DATABASE_URL',
      'SECRET_KEY',
      'X402_PAY_TO',
    ]);
    expect(faults.find((fault) => fault.startsWith('SECRET_KEY'))).toBe('SECRET_KEY is missing');
  });

  it('takes the stablecoin rail whole or not at all', () => {
    const { X402_PAY_TO: _, ...without } = local;
    expect(faultsOf(without)[0]).toContain('belong together');
    const { DATABASE_URL, BASE_URL, ENVIRONMENT, SECRET_KEY, NEXTAUTH_SECRET, RECEIPT_KEYS_FILE } = local;
    const bare = { DATABASE_URL, BASE_URL, ENVIRONMENT, SECRET_KEY, NEXTAUTH_SECRET, RECEIPT_KEYS_FILE };
    expect(readConfiguration(bare).x402).toBeNull();
  });

  it('takes a refund key only if it is the key of the address that is paid', () => {
    const X402_REFUND_KEY = `0x${'1'.repeat(64)}`;
    const X402_PAY_TO = privateKeyToAddress(X402_REFUND_KEY as `0x${string}`);
    expect(readConfiguration({ ...local, X402_PAY_TO, X402_REFUND_KEY }).x402?.refundKey).toBe(X402_REFUND_KEY);
    expect(readConfiguration(local).x402?.refundKey).toBeNull();
    expect(faultsOf({ ...local, X402_REFUND_KEY })[0]).toContain('X402_REFUND_KEY is not the key of X402_PAY_TO');
    expect(faultsOf({ ...local, X402_REFUND_KEY: `0x${'0'.repeat(64)}` })[0]).toContain('is not the key');
  });

  it('refuses in production what only a sandbox would have: loopback providers and test chains', () => {
    const faults = faultsOf({ ...local, ENVIRONMENT: 'live' });
    expect(faults.some((fault) => fault.includes('X402_FACILITATOR_URL is a loopback address'))).toBe(true);
    expect(faults.some((fault) => fault.includes('eip155:84532, which is not a live network'))).toBe(true);
    expect(faults.some((fault) => fault.includes('X402_RPC_URLS has a loopback address'))).toBe(true);
  });

  it('reads the models of the assessor, and names the key or address that one of them lacks', () => {
    const models = { ...local, ASSESSOR_MODELS: 'anthropic:first, compatible:llama3.1:8b' };
    expect(faultsOf(models).map((fault) => fault.split(' ')[0])).toEqual([
      'ASSESSOR_ANTHROPIC_API_KEY',
      'ASSESSOR_COMPATIBLE_URL',
    ]);
    expect(faultsOf({ ...local, ASSESSOR_MODELS: 'gemini:x' })[0]).toContain('PROVIDER:MODEL');
    const { assessor } = readConfiguration({
      ...models,
      ASSESSOR_ANTHROPIC_API_KEY: 'key',
      ASSESSOR_COMPATIBLE_URL: 'http://127.0.0.1:11434/v1/',
    });
    expect(assessor).toMatchObject([
      { provider: 'anthropic', model: 'first', apiKey: 'key', timeoutMs: 120_000 },
      { provider: 'compatible', model: 'llama3.1:8b', baseUrl: 'http://127.0.0.1:11434/v1' },
    ]);
    expect(readConfiguration(local).assessor).toEqual([]);
  });

  it('reads prices in USD for a million tokens, and wants one for each model under a budget', () => {
    const models = { ...local, ASSESSOR_MODELS: 'anthropic:first,compatible:llama3.1:8b' };
    const keys = { ASSESSOR_ANTHROPIC_API_KEY: 'key', ASSESSOR_COMPATIBLE_URL: 'http://127.0.0.1:11434/v1' };
    const budget = { ...models, ...keys, ASSESSOR_BUDGET_MICROCENTS: '30000000' };
    expect(faultsOf({ ...budget, ASSESSOR_PRICES: 'anthropic:first=1/0.1/5' })).toEqual([
      'ASSESSOR_PRICES names no price of compatible:llama3.1:8b, which a budget needs',
    ]);
    expect(faultsOf({ ...budget, ASSESSOR_PRICES: 'anthropic:first=1' })[0]).toContain('INPUT/CACHED/OUTPUT');
    const { assessor } = readConfiguration({
      ...budget,
      ASSESSOR_PRICES: 'anthropic:first=1/0.1/5, compatible:llama3.1:8b=0/0/0',
    });
    expect(assessor).toMatchObject([
      { price: { input: 100_000_000, cached: 10_000_000, output: 500_000_000 }, budgetMicrocents: 30_000_000 },
      { price: { input: 0, cached: 0, output: 0 }, budgetMicrocents: 30_000_000 },
    ]);
  });
});

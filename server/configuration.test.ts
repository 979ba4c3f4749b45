import { createHash } from 'node:crypto';
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from './configuration.ts';

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

  it('takes several servers of the database, each with its port, and no half of one', () => {
    expect(faultsOf({ ...local, DATABASE_URL: 'postgresql://u:p@one:5432,two:5433/check' })).toEqual([]);
    expect(faultsOf({ ...local, DATABASE_URL: 'postgresql://u:p@one:5432,two:x/check' })).toEqual([
      'DATABASE_URL must name hosts parted by commas, each with its port',
    ]);
  });

  it('takes one replica for reading, which need not be there', () => {
    const read = 'postgresql://u:p@two:5433/check';
    expect(readConfiguration(local).replica).toBeNull();
    expect(readConfiguration({ ...local, DATABASE_READ_URL: read }).replica).toEqual({ url: read, lagMaxSeconds: 1 });
    expect(faultsOf({ ...local, DATABASE_READ_URL: 'postgresql://one,two/check' })).toEqual([
      'DATABASE_READ_URL must be a postgresql:// address of one server',
    ]);
  });

  it('takes the stablecoin rail whole or not at all', () => {
    const { X402_PAY_TO: _, ...without } = local;
    expect(faultsOf(without)[0]).toContain('belong together');
    const { DATABASE_URL, BASE_URL, ENVIRONMENT, SECRET_KEY, NEXTAUTH_SECRET, RECEIPT_KEYS_FILE } = local;
    const bare = { DATABASE_URL, BASE_URL, ENVIRONMENT, SECRET_KEY, NEXTAUTH_SECRET, RECEIPT_KEYS_FILE };
    expect(readConfiguration(bare).x402).toBeNull();
  });

  it('takes the keys of receipts from one place', () => {
    const { RECEIPT_KEYS_FILE: _, ...rest } = local;
    expect(readConfiguration(local).receiptKeys).toEqual({ file: '/tmp/keys.json' });
    expect(readConfiguration({ ...rest, RECEIPT_KEYS: '{}' }).receiptKeys).toEqual({ text: '{}' });
    for (const wrong of [rest, { ...local, RECEIPT_KEYS: '{}' }])
      expect(faultsOf(wrong)[0]).toContain('set one of them');
  });

  it('takes a refund key only if it is the key of the address that is paid', () => {
    const X402_REFUND_KEY = `0x${'1'.repeat(64)}`;
    const X402_PAY_TO = privateKeyToAddress(X402_REFUND_KEY as `0x${string}`);
    expect(readConfiguration({ ...local, X402_PAY_TO, X402_REFUND_KEY }).x402?.refundKeys).toEqual([X402_REFUND_KEY]);
    expect(readConfiguration(local).x402?.refundKeys).toEqual([]);
    expect(faultsOf({ ...local, X402_REFUND_KEY })[0]).toContain('X402_REFUND_KEY is not the key of X402_PAY_TO');
    expect(faultsOf({ ...local, X402_REFUND_KEY: `0x${'0'.repeat(64)}` })[0]).toContain('is not the key');
  });

  it('asks for no more connections than a default server has, for two web processes, two workers and commands', () => {
    const { purchases, models } = readConfiguration(local).connections;
    const [web, worker, commands, defaultServer] = [purchases + models + 2, purchases + models + 6, 10, 97];
    expect(2 * web + 2 * worker + commands).toBeLessThanOrEqual(defaultServer);
  });

  it('takes several addresses, the paid one first, each with its key or without', () => {
    const key = `0x${'2'.repeat(64)}` as const;
    const [former, now] = [privateKeyToAddress(key), local.X402_PAY_TO];
    const both = { ...local, X402_PAY_TO: `${now}, ${former}` };
    expect(readConfiguration({ ...both, X402_REFUND_KEY: key }).x402).toMatchObject({
      payTo: [now, former],
      refundKeys: [key],
    });
    expect(faultsOf({ ...both, X402_REFUND_KEY: `${key},0x${'3'.repeat(64)}` })[0]).toContain('is not the key');
    expect(faultsOf({ ...local, X402_PAY_TO: `${former},${former.toLowerCase()}` })).toEqual([
      'X402_PAY_TO names an address twice',
    ]);
  });

  it('refuses an address with a slip of the pen, by the checksum in its capitals', () => {
    const right = privateKeyToAddress(`0x${'2'.repeat(64)}`);
    const slipped = right.replace(/[0-9a-f](?=[0-9a-fA-F]*$)/, (digit) => (digit === '1' ? '2' : '1'));
    expect(faultsOf({ ...local, X402_PAY_TO: right })).toEqual([]);
    expect(faultsOf({ ...local, X402_PAY_TO: right.toLowerCase() })).toEqual([]);
    expect(faultsOf({ ...local, X402_PAY_TO: slipped })).toEqual([expect.stringMatching(/^X402_PAY_TO .*EIP-55/)]);
  });

  it('refuses in production what only a sandbox would have: loopback providers and test chains', () => {
    const faults = faultsOf({ ...local, ENVIRONMENT: 'live' });
    expect(faults.some((fault) => fault.includes('X402_FACILITATOR_URL is a loopback address'))).toBe(true);
    expect(faults.some((fault) => fault.includes('eip155:84532, which is not a live network'))).toBe(true);
    expect(faults).toContain('X402_RPC_URLS for eip155:84532 is a loopback address, which production refuses');
  });

  /** A valid production environment. */
  const random = (seed: string) => createHash('sha256').update(seed).digest('base64url');
  const live = {
    DATABASE_URL: 'postgresql://localhost/check',
    BASE_URL: 'https://check.example',
    ENVIRONMENT: 'live',
    SECRET_KEY: random('one'),
    NEXTAUTH_SECRET: random('two'),
    RECEIPT_KEYS_FILE: '/var/lib/keys.json',
    TRUSTED_PROXIES: '1',
    SMTP_URL: 'smtp://user:word@mail.example:587?requireTLS=true',
    MAIL_FROM: 'no-reply@check.example',
    OPERATOR_NAME: 'Example Checks Ltd',
    OPERATOR_EMAIL: 'help@check.example',
    X402_FACILITATOR_URL: 'https://facilitator.example',
    X402_PAY_TO: `0x${'1'.repeat(40)}`,
    X402_NETWORKS: 'eip155:8453',
    X402_RPC_URLS: '8453=https://node.example',
  };
  const [, known] = [0, 1].map((addressIndex) =>
    mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex }),
  );

  it('takes in production what is whole', () => {
    expect(faultsOf(live)).toEqual([]);
    expect(faultsOf({ ...live, SMTP_URL: 'smtps://mail.example' })).toEqual([]);
    expect(faultsOf({ ...live, SECRET_KEY: `${random('new')},${random('one')}` })).toEqual([]);
  });

  it('takes rules alone as a choice, which a live installation must make, and not beside models', () => {
    const chosen = (changes: Record<string, string>) => readConfiguration({ ...local, ...changes }).assessorIsChosen;
    expect([chosen({}), chosen({ ASSESSOR: 'rules' })]).toEqual([true, true]);
    expect(readConfiguration(live).assessorIsChosen).toBe(false);
    expect(readConfiguration({ ...live, ASSESSOR: 'rules' }).assessorIsChosen).toBe(true);
    expect(faultsOf({ ...local, ASSESSOR: 'rules', ASSESSOR_MODELS: 'anthropic:first' })[0]).toContain(
      'set one of them',
    );
  });

  it('takes a bucket with its key alone, and archives nothing that can still be deleted', () => {
    const bucket = {
      ARCHIVE_URL: 'https://s3.example/texts/',
      ARCHIVE_ACCESS_KEY_ID: 'id',
      ARCHIVE_SECRET_ACCESS_KEY: 'secret',
    };
    const { archive } = readConfiguration({ ...local, ...bucket });
    expect(archive).toEqual({
      url: 'https://s3.example/texts',
      region: 'us-east-1',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      afterDays: 90,
    });
    expect(readConfiguration(local).archive).toBeNull();
    for (const name of Object.keys(bucket))
      expect(faultsOf({ ...local, ...bucket, [name]: '' })).toEqual([expect.stringMatching(/belong together/)]);
    expect(faultsOf({ ...local, ...bucket, ARCHIVE_AFTER_DAYS: '30' })).toEqual([
      expect.stringMatching(/^ARCHIVE_AFTER_DAYS/),
    ]);
  });

  it('names who sells: live mode starts with a name and an address only', () => {
    const nobody = faultsOf({ ...live, OPERATOR_NAME: '', OPERATOR_EMAIL: '' });
    expect(nobody).toEqual([expect.stringMatching(/^OPERATOR_NAME and OPERATOR_EMAIL are missing/)]);
    expect(faultsOf({ ...live, OPERATOR_EMAIL: '' })).toEqual([expect.stringMatching(/belong together/)]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['an address of plain http', { BASE_URL: 'http://check.example' }, /^BASE_URL is plain http/],
    [
      'a node of plain http',
      { X402_RPC_URLS: '8453=http://node.example' },
      /^X402_RPC_URLS for eip155:8453 is plain http/,
    ],
    [
      'a facilitator of plain http',
      { X402_FACILITATOR_URL: 'http://f.example' },
      /^X402_FACILITATOR_URL is plain http/,
    ],
    [
      'a key that everybody has',
      { X402_PAY_TO: known?.address ?? '' },
      /^X402_PAY_TO belongs to the public test mnemonic/,
    ],
    ['one secret for two', { NEXTAUTH_SECRET: random('one') }, /^NEXTAUTH_SECRET repeats another secret/],
    ['one secret twice', { SECRET_KEY: `${random('one')},${random('one')}` }, /^SECRET_KEY repeats another secret/],
    ['a secret of few characters', { SECRET_KEY: 'ab1'.repeat(20) }, /^SECRET_KEY is weak/],
    [
      'a secret that repeats itself',
      { NEXTAUTH_SECRET: random('x').slice(0, 22).repeat(2) },
      /^NEXTAUTH_SECRET is weak/,
    ],
    [
      'reports that travel in clear',
      { ARCHIVE_URL: 'http://s3.example/a', ARCHIVE_ACCESS_KEY_ID: 'a', ARCHIVE_SECRET_ACCESS_KEY: 'b' },
      /^ARCHIVE_URL is plain http/,
    ],
    ['letters that may go out in clear', { SMTP_URL: 'smtp://mail.example:587' }, /^SMTP_URL does not require TLS/],
    ['a mail server that is not verified', { SMTP_URL: 'smtps://m.example?tls.rejectUnauthorized=false' }, /^SMTP_URL/],
    ['a sender without a mail server', { SMTP_URL: '' }, /^SMTP_URL is missing/],
    ['an unsaid number of proxies', { TRUSTED_PROXIES: '' }, /^TRUSTED_PROXIES is missing/],
  ])('refuses in production %s', (_, change, sentence) => {
    const faults = faultsOf({ ...live, ...change });
    expect(faults).toEqual([expect.stringMatching(sentence)]);
    const inTest = { ...live, ...change, ENVIRONMENT: 'test', X402_NETWORKS: 'eip155:84532' };
    const X402_RPC_URLS = '84532=http://node.example';
    expect(faultsOf({ ...inTest, X402_RPC_URLS })).toEqual([]);
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

  it('asks for as many confirmations on each chain as are safe there, and takes others chain by chain', () => {
    expect(readConfiguration(local).x402?.confirmations).toMatchObject({ 'eip155:84532': 1, 'eip155:8453': 10 });
    const deeper = readConfiguration({ ...local, X402_CONFIRMATIONS: '8453=30, 42161=100' }).x402;
    expect(deeper?.confirmations).toMatchObject({ 'eip155:84532': 1, 'eip155:8453': 30, 'eip155:42161': 100 });
    for (const wrong of ['3', '8453=0', '1=5', '8453=x']) {
      expect(faultsOf({ ...local, X402_CONFIRMATIONS: wrong })[0]).toContain('X402_CONFIRMATIONS must be chain=number');
    }
  });
});

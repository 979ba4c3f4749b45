import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../../client/verify-receipt.ts';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { ConfigurationError } from '../../kernel/configuration-error.ts';
import { openReceiptKeys, revokeReceiptKey, rotateReceiptKeys } from './receipt-keys.ts';

const service = await startService();
const { db, configuration } = service.runtime;
const file = service.environment.RECEIPT_KEYS_FILE ?? '';
const place = configuration.receiptKeys;
const command = path.resolve(import.meta.dirname, '../../../commands/receipt-keys.ts');
const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, [command, ...words], { env: { ...process.env, ...service.environment } });
const open = () => openReceiptKeys(place, db, new Date());
const kidsIn = () => JSON.parse(readFileSync(file, 'utf8')).keys.map(({ kid }: { kid: string }) => kid);

interface Published {
  kid: string;
  kty: string;
  valid_from: string;
  valid_to: string | null;
  revoked_at?: string;
}
async function published(): Promise<Published[]> {
  const agent = await Agent.arrive(service);
  return (await agent.get('/.well-known/jwks.json')).body.keys;
}

describe('receipt keys', () => {
  it('that are not where they were stop a start, instead of being made anew', async () => {
    renameSync(file, `${file}.away`);
    await expect(open()).rejects.toThrow(ConfigurationError);
    await expect(open()).rejects.toThrow(/^RECEIPT_KEYS_FILE holds none of the keys that this database knows/);
    expect(await published()).toHaveLength(1);
    await expect(rotateReceiptKeys(place, db, new Date())).rejects.toThrow('There are no receipt keys yet');
    renameSync(`${file}.away`, file);
    expect((await open()).kid).toBe(kidsIn()[0]);
  });

  it('of another installation stop a start, too', async () => {
    const own = readFileSync(file, 'utf8');
    writeFileSync(file, own.replace(/"kid": "[^"]+"/, '"kid": "receipt-stranger"'));
    await expect(open()).rejects.toThrow(ConfigurationError);
    writeFileSync(file, own);
    expect(await published()).toHaveLength(1);
  });

  it('rotate by command: the new one signs, and what the old one signed is still verified', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    const { body: receipt } = await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`);
    const [before] = kidsIn();
    // Root may hand the file to anybody; others rotate their own. Either way it stays its owner's.
    const owner = process.getuid?.() === 0 ? 65_534 : statSync(file).uid;
    chownSync(file, owner, statSync(file).gid);
    await run('rotate');
    expect(statSync(file)).toMatchObject({ uid: owner, mode: 0o100600 });
    chownSync(file, process.getuid?.() ?? owner, statSync(file).gid);
    const after = kidsIn()[1];
    expect((await open()).kid).toBe(after);
    const keys = await published();
    expect(keys).toMatchObject([
      { kid: before, valid_to: expect.any(String) },
      { kid: after, valid_to: null },
    ]);
    // Processes that were not restarted sign with the old key for an hour.
    expect(Date.parse(keys[0]?.valid_to ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    await verifyReceipt(receipt, { keys });
    expect(await published()).toEqual(keys);
  });

  it('are revoked by command with a reason, but not the one that signs', async () => {
    const [old, signing] = kidsIn();
    const revoke = (kid: string) => revokeReceiptKey(place, db, { kid, because: 'it leaked', now: new Date() });
    await expect(revoke(signing)).rejects.toThrow('rotate first');
    await run('revoke', old, 'a', 'backup', 'was', 'stolen');
    const [revoked] = await published();
    expect(revoked).toMatchObject({ kid: old, revoked_at: expect.any(String) });
    expect(Date.parse(revoked?.valid_to ?? '')).toBeLessThanOrEqual(Date.now());
    expect((await open()).kid).toBe(signing);
    expect((await published())[0]).toEqual(revoked);
    const { rows } = await service.database.pool.query('select revoked_because from receipt_keys where kid = $1', [
      old,
    ]);
    expect(rows).toEqual([{ revoked_because: 'a backup was stolen' }]);
    await expect(service.database.pool.query('delete from receipt_keys')).rejects.toThrow('only grows');
    await expect(revoke(old)).rejects.toThrow('it is revoked');
  });

  it('that were revoked sign nothing more: a process that was not started anew says so, and what it took waits', async () => {
    // This process still signs with the first key, which the test before has revoked.
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const signature = await agent.signPayment(jobKey);
    const key = randomUUID();
    const refused = await agent.pay(jobKey, { key, signature });
    expect([refused.status, refused.body.code, refused.body.reasons]).toEqual([
      503,
      'service_unavailable',
      ['receipt_keys_missing'],
    ]);
    await expect
      .poll(async () => (await agent.get('/readyz')).body, { timeout: 5_000 })
      .toEqual({ status: 'not_ready', reasons: ['receipt_keys_missing'] });
    const { rows } = await service.database.pool.query('select 1 from receipts where job_key = $1', [jobKey]);
    expect(rows).toEqual([]);
    const door = await service.startDoor();
    const later = agent.at(door.baseUrl);
    // The first request holds the payment for a while, as one that crashed does.
    const paid = async () => {
      const { status, body } = await later.pay(jobKey, { key, signature });
      return status === 200 ? status : body.code;
    };
    await expect.poll(paid, { timeout: 60_000, interval: 1_000 }).toBe(200);
    const { body: receipt } = await later.get(`/api/agent/v1/jobs/${jobKey}/receipt`);
    await verifyReceipt(receipt, { keys: await published() });
    await door.stop();
  });

  it('may stand in the environment, which no start and no command writes to', async () => {
    const { RECEIPT_KEYS_FILE: _, ...rest } = service.environment;
    const inEnvironment = (text: string) => ({ ...rest, RECEIPT_KEYS: text });
    const text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
    const [, signing] = kidsIn();
    const openText = (list: string, now = new Date()) => openReceiptKeys({ text: list }, db, now);
    expect((await openText(text)).kid).toBe(signing);
    const env = { ...process.env, ...inEnvironment(text), RECEIPT_KEYS_FILE: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [command, 'rotate'], { env });
    const [told, list = ''] = stdout.split('\n');
    expect(told).toMatch(/^Set RECEIPT_KEYS to this secret line/);
    // Until a process starts with it, it is not published, and the previous key stays valid.
    expect(await published()).toHaveLength(2);
    const muchLater = new Date(Date.now() + 86_400_000);
    const made = (await openText(list, muchLater)).kid;
    const keys = await published();
    expect(keys.map(({ kid }) => kid)).toContain(made);
    const ends = Date.parse(keys.find(({ kid }) => kid === signing)?.valid_to ?? '');
    expect(ends).toBe(muchLater.getTime() + 3_600_000);
    // Processes with the old list do not undo that, and stop signing once their key has expired.
    expect((await openText(text, muchLater)).kid).toBe(signing);
    expect(await published()).toEqual(keys);
    await expect(openText(text, new Date(ends))).rejects.toThrow('RECEIPT_KEYS lacks a key that signs');
  });

  it.each([
    ['is no list', 'a key', 'RECEIPT_KEYS cannot be read'],
    ['is empty', '{"keys":[]}', 'RECEIPT_KEYS cannot be read'],
    ['has no key in it', listOf('receipt-1', 'a key'), 'RECEIPT_KEYS has no Ed25519 key under the name receipt-1'],
    ['has a key of another kind', listOf('receipt-1', rsaKey()), 'has no Ed25519 key under the name receipt-1'],
    ['holds none that is known', listOf('receipt-1', newKey()), 'holds none of the keys that this database knows'],
  ])('are refused in a sentence when the list %s', async (_, text, sentence) => {
    const opened = openReceiptKeys({ text }, db, new Date());
    await expect(opened).rejects.toThrow(ConfigurationError);
    await expect(opened).rejects.toThrow(sentence);
  });

  it('are refused when a known name stands for another key', async () => {
    const [, signing] = kidsIn();
    const opened = openReceiptKeys({ text: listOf(signing, newKey()) }, db, new Date());
    await expect(opened).rejects.toThrow(`another key under the name ${signing} than is published`);
  });

  it('and those of SECRET_KEY are looked at by --check-config, which makes nothing', async () => {
    const start = path.resolve(import.meta.dirname, '../../start.ts');
    const check = (changes: Record<string, string>) =>
      promisify(execFile)(process.execPath, [start, '--check-config'], {
        env: { ...process.env, ...service.environment, ...changes },
      });
    expect((await check({})).stdout).toBe('The environment is complete.\n');
    const known = await published();
    const nowhere = path.join(path.dirname(file), 'nowhere', 'keys.json');
    const wrong = { RECEIPT_KEYS_FILE: nowhere, SECRET_KEY: randomBytes(32).toString('base64url') };
    await expect(check(wrong)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The environment cannot be used:\n {2}SECRET_KEY lacks the key [0-9a-f]{16}, .*\n {2}RECEIPT_KEYS_FILE holds none of .*\n$/,
      ),
    });
    expect(existsSync(nowhere)).toBe(false);
    expect(await published()).toEqual(known);
    const { rows } = await service.database.pool.query('select count(*)::int from secret_keys');
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('that are revoked end a worker that still signs with them, so that another is started', async () => {
    const worker = service.startWorker();
    await worker.ready;
    const ended = () => {
      try {
        return !process.kill(worker.pid ?? 0, 0);
      } catch {
        return true;
      }
    };
    const signing = (await open()).kid;
    await rotateReceiptKeys(place, db, new Date());
    await revokeReceiptKey(place, db, { kid: signing, because: 'it leaked', now: new Date() });
    await expect.poll(ended, { timeout: 60_000 }).toBe(true);
  });
});

function listOf(kid: string, pem: string): string {
  return JSON.stringify({ keys: [{ kid, created_at: new Date().toISOString(), private_key_pem: pem }] });
}
function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
function rsaKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

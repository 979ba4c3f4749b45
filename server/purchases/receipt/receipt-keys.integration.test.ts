import { execFile } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
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
const file = configuration.receiptKeysFile;
const command = path.resolve(import.meta.dirname, '../../../commands/receipt-keys.ts');
const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, [command, ...words], { env: { ...process.env, ...service.environment } });
const open = () => openReceiptKeys(file, db, new Date());
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
    await expect(rotateReceiptKeys(file, db, new Date())).rejects.toThrow('is not there');
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
    await run('rotate');
    const after = kidsIn()[1];
    expect((await open()).kid).toBe(after);
    const keys = await published();
    expect(keys).toMatchObject([
      { kid: before, valid_to: expect.any(String) },
      { kid: after, valid_to: null },
    ]);
    // Processes that have not been started anew sign with the old one for an hour.
    expect(Date.parse(keys[0]?.valid_to ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    await verifyReceipt(receipt, { keys });
    expect(await published()).toEqual(keys);
  });

  it('are revoked by command with a reason, but not the one that signs', async () => {
    const [old, signing] = kidsIn();
    const revoke = (kid: string) => revokeReceiptKey(file, db, { kid, because: 'it leaked', now: new Date() });
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
});

import canonicalize from 'canonicalize';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { expect, it } from 'vitest';
import { type PublishedKeys, type SignedReceipt, verifyReceipt } from './verify-receipt.ts';

const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
const jwk = { ...(await exportJWK(publicKey)), kid: 'receipt-1', alg: 'EdDSA' };
const keys = (times: { valid_from?: string; valid_to?: string | null; revoked_at?: string } = {}): PublishedKeys => ({
  keys: [
    { ...jwk, valid_from: '2026-01-01T00:00:00.000Z', valid_to: null, ...times },
    { ...jwk, kid: 'receipt-2', valid_from: '2026-01-01T00:00:00.000Z', valid_to: null },
  ],
});

async function signed(header: Record<string, unknown> = {}): Promise<SignedReceipt> {
  const stated = { receipt_key: 'rcpt_1', issued_at: '2026-06-01T00:00:00.000Z', amount: 5 };
  const jws = await new CompactSign(new TextEncoder().encode(canonicalize(stated)))
    .setProtectedHeader({ alg: 'EdDSA', kid: 'receipt-1', ...header })
    .sign(privateKey);
  return { ...stated, signature: { kid: 'receipt-1', alg: 'EdDSA', jws } };
}

it('takes a receipt as it was signed', async () => {
  await expect(verifyReceipt(await signed(), keys())).resolves.toEqual({ keyRevokedAt: null });
});

it.each([
  ['a changed kid', { kid: 'receipt-2' }],
  ['a changed alg', { alg: 'ES256' }],
  ['an added member of the signature', { note: 'added' }],
])('refuses %s', async (_, changes) => {
  const receipt = await signed();
  const changed = { ...receipt, signature: { ...receipt.signature, ...changes } };
  await expect(verifyReceipt(changed, keys())).rejects.toThrow(/signature/i);
});

it('refuses an added member of the receipt, and of the header that was signed', async () => {
  await expect(verifyReceipt({ ...(await signed()), note: 'added' }, keys())).rejects.toThrow('covers something else');
  await expect(verifyReceipt(await signed({ typ: 'JWT' }), keys())).rejects.toThrow('says more');
});

it('refuses a key outside of the time that it was valid for', async () => {
  const receipt = await signed();
  const ended = keys({ valid_to: '2026-05-01T00:00:00.000Z' });
  const later = keys({ valid_from: '2026-07-01T00:00:00.000Z' });
  for (const wrong of [ended, later]) {
    await expect(verifyReceipt(receipt, wrong)).rejects.toThrow('while its key was not valid');
  }
});

it('refuses a receipt from the revocation of its key on, without any tolerance', async () => {
  const receipt = await signed();
  for (const revoked_at of ['2026-06-01T00:00:00.000Z', '2026-05-31T23:59:59.999Z', 'some day']) {
    await expect(verifyReceipt(receipt, keys({ revoked_at }))).rejects.toThrow('after its key had been revoked');
  }
});

it('names the revocation of the key of an earlier receipt', async () => {
  const revoked_at = '2026-06-01T00:00:00.001Z';
  const verified = await verifyReceipt(await signed(), keys({ revoked_at, valid_to: revoked_at }));
  expect(verified).toEqual({ keyRevokedAt: revoked_at });
});

it.each([null, 'keys', {}, { keys: 'receipt-1' }, { keys: [null] }])('says that %j are no keys', async (given) => {
  await expect(verifyReceipt(await signed(), given as unknown as PublishedKeys)).rejects.toThrow('These are no keys');
});

import { afterAll, describe, expect, it } from 'vitest';
import { temporarySandbox } from '../../sandbox/temporary-sandbox.ts';
import { openObjectStore } from './object-store.ts';

const sandbox = await temporarySandbox();
afterAll(() => sandbox.stop());
const bucket = { ...sandbox.archive, region: 'eu-central-1' };
const store = openObjectStore(bucket, 'bucket_unreachable');
const bytes = Buffer.from([0, 255, 10, 13, 128]);

describe('a bucket', () => {
  it('gives each object back, byte for byte', async () => {
    await store.put('objects/0a1b', bytes);
    await store.put('objects/empty', new Uint8Array());
    expect(await store.get('objects/0a1b')).toEqual(bytes);
    expect(await store.get('objects/empty')).toHaveLength(0);
  });

  it('says so when it has no such object', async () => {
    await expect(store.get('objects/none')).rejects.toThrow('the bucket answers 404 NoSuchKey to GET objects/none');
  });

  it.each([
    ['another secret', { secretAccessKey: 'another' }],
    ['an unknown key', { accessKeyId: 'another' }],
    ['another bucket', { url: sandbox.archive.url.replace(/archive$/, 'another') }],
  ])('does nothing for %s', async (_, changes) => {
    const other = openObjectStore({ ...bucket, ...changes }, 'bucket_unreachable');
    await expect(other.put('objects/theirs', bytes)).rejects.toThrow(/answers 40[34]/);
    await expect(store.get('objects/theirs')).rejects.toThrow('404');
  });

  it('that does not answer is no success', async () => {
    const gone = openObjectStore({ ...bucket, url: 'http://127.0.0.1:9/archive' }, 'bucket_unreachable');
    await expect(gone.put('objects/a', bytes)).rejects.toThrow();
  });
});

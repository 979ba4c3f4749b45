import { hash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { outage } from './outage.ts';

/** Keeps objects under keys in a bucket elsewhere. Everything rejects when the bucket does not do what it is asked. */
export interface ObjectStore {
  /** Resolves once the bucket has the object; the same again changes nothing. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Rejects when there is no such object, too. */
  get(key: string): Promise<Buffer>;
}

/** A bucket, by its whole address, and who may read and write it. */
export interface Bucket {
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** A call that the bucket did not carry out, as far as anybody knows. */
export class BucketFailed extends Error {}

/** Time-out of a call; an object is some kilobytes. */
const callMs = 10_000;

/** Opens a bucket that speaks the S3 protocol. `name` is in the log when it fails and when it works again. */
export function openObjectStore({ url, region, accessKeyId, secretAccessKey }: Bucket, name: string): ObjectStore {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const told = outage(name);
  const call = async (method: 'PUT' | 'GET', key: string, body?: Uint8Array): Promise<Buffer> => {
    try {
      const response = await client.fetch(`${url}/${key}`, {
        method,
        // The bucket compares it with what arrived.
        headers: { 'x-amz-content-sha256': hash('sha256', body ?? '') },
        ...(body ? { body: new Uint8Array(body) } : {}),
        signal: AbortSignal.timeout(callMs),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (!response.ok) throw new BucketFailed(`the bucket answers ${response.status} to ${method} ${key}`);
      told.works();
      return bytes;
    } catch (error) {
      told.failed(error);
      if (error instanceof BucketFailed) throw error;
      throw new BucketFailed(`the bucket does not answer to ${method} ${key}`, { cause: error });
    }
  };
  return {
    async put(key, bytes) {
      await call('PUT', key, bytes);
    },
    get: (key) => call('GET', key),
  };
}

import { hash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { metrics } from './metrics.ts';
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
export class BucketFailed extends Error {
  /** The status of its answer; null without one, or when what it gave is wrong. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null, options: ErrorOptions = {}) {
    super(message, options);
    this.status = status;
  }

  /** Whether it answers that it has no such object. */
  get isAbsence(): boolean {
    return this.status === 404 && !this.message.includes('NoSuchBucket');
  }
}

/** Time-out of a call; an object is some kilobytes. */
const callMs = 10_000;

/** Opens a bucket that speaks the S3 protocol. `name` is in the log when it fails and when it works again. */
export function openObjectStore({ url, region, accessKeyId, secretAccessKey }: Bucket, name: string): ObjectStore {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const told = outage(name);
  const call = async (method: 'PUT' | 'GET', key: string, body?: Uint8Array): Promise<Buffer> => {
    const kind = method === 'GET' ? 'read' : 'write';
    try {
      const response = await client.fetch(`${url}/${key}`, {
        method,
        // The bucket compares it with what arrived.
        headers: { 'x-amz-content-sha256': hash('sha256', body ?? '') },
        ...(body ? { body: new Uint8Array(body) } : {}),
        signal: AbortSignal.timeout(callMs),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (!response.ok) {
        const said = [response.status, codeIn(bytes)].filter(Boolean).join(' ');
        throw new BucketFailed(`the bucket answers ${said} to ${method} ${key}`, response.status);
      }
      told.works();
      metrics.archiveCalls.inc({ call: kind, result: 'answered' });
      metrics.archiveAnswered.setToCurrentTime({ call: kind });
      return bytes;
    } catch (error) {
      metrics.archiveCalls.inc({ call: kind, result: 'failed' });
      const failed =
        error instanceof BucketFailed
          ? error
          : new BucketFailed(`the bucket does not answer to ${method} ${key}`, null, { cause: error });
      // A bucket that lacks an object can be reached.
      if (failed.isAbsence) told.works();
      else told.failed(error);
      throw failed;
    }
  };
  return {
    async put(key, bytes) {
      await call('PUT', key, bytes);
    },
    get: (key) => call('GET', key),
  };
}

/** The code of an error in S3's XML, if there is one. */
function codeIn(bytes: Buffer): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(bytes.toString('latin1'))?.[1];
}

// The stand-in for a bucket of S3: puts and gets whole objects by path, checks signatures, and keeps objects as files.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FaultQueue } from '../fault-queue.ts';
import { BRAND, listen, refuseForeignHost } from '../http.ts';
import type { ArchiveFault } from './faults.ts';
import { signatureFault } from './signature.ts';

/** The only bucket. */
export const SANDBOX_BUCKET = 'archive';
const OBJECT_BYTES_MAX = 64 * 2 ** 20;

/** The objects that a running bucket has, for the control port. */
export interface Objects {
  list(): string[];
  /** Whether there was one. */
  remove(key: string): boolean;
}

/** A running bucket. */
export interface Bucket {
  readonly objects: Objects;
  stop(): void;
}

/** Starts the bucket on a loopback port over a folder. Rejects with a sentence when the port is taken. */
export async function startBucket(port: number, folder: string, faults: FaultQueue<ArchiveFault>): Promise<Bucket> {
  mkdirSync(folder, { recursive: true });
  const server = await listen(
    'bucket',
    createServer((request, response) => {
      void answer(request, response, folder, faults).catch(() => request.socket.destroy());
    }),
    port,
  );
  return {
    objects: {
      list: () => keysIn(folder),
      remove(key) {
        const isThere = existsSync(fileOf(folder, key));
        rmSync(fileOf(folder, key), { force: true });
        return isThere;
      },
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A key is a file name here. */
const fileOf = (folder: string, key: string): string => join(folder, encodeURIComponent(key));

function keysIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.draft'))
    .map(decodeURIComponent);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  faults: FaultQueue<ArchiveFault>,
): Promise<void> {
  const body = await readBytes(request);
  const refuse = (status: number, code: string) => {
    response.writeHead(status, { 'content-type': 'application/xml', 'x-sandbox': BRAND });
    response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
  };
  refuseForeignHost(request);
  const unsigned = signatureFault(request, body, new Date());
  if (unsigned) return refuse(403, unsigned);
  const [, bucket, ...path] = decodeURIComponent(request.url ?? '').split('/');
  const key = path.join('/');
  if (bucket !== SANDBOX_BUCKET) return refuse(404, 'NoSuchBucket');
  const fault = faults.take(({ method }) => method === undefined || method === request.method);
  if (fault?.mode === 'drop') throw new Error('told to');
  if (fault?.mode === 'refuse') return refuse(fault.status, 'SlowDown');
  if (request.method === 'PUT') {
    writeFileSync(`${fileOf(folder, key)}.draft`, body);
    renameSync(`${fileOf(folder, key)}.draft`, fileOf(folder, key));
    if (fault?.mode === 'refuse_after_keep') return refuse(fault.status, 'InternalError');
    response.writeHead(200, { 'x-sandbox': BRAND }).end();
    return;
  }
  if (request.method !== 'GET') return refuse(405, 'MethodNotAllowed');
  if (!existsSync(fileOf(folder, key))) return refuse(404, 'NoSuchKey');
  const others = fault?.mode === 'exchange' ? keysIn(folder).filter((other) => other !== key) : [];
  const object = readFileSync(fileOf(folder, others.find((other) => other.startsWith('objects/')) ?? key));
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'x-sandbox': BRAND }).end(object);
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > OBJECT_BYTES_MAX) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

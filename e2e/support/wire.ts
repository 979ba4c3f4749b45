import { Agent as ConnectionPool, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** A request as sent over the wire, valid or not. */
export interface WireRequest {
  method: string;
  /** As in the request's first line. */
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** An answer as received over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
}

/** Sends what `fetch` would correct or refuse, over kept-alive connections. */
export class Wire {
  readonly #baseUrl: URL;
  readonly #connections = new ConnectionPool({ keepAlive: true });

  constructor(baseUrl: string) {
    this.#baseUrl = new URL(baseUrl);
  }

  send(wire: WireRequest): Promise<WireAnswer> {
    const { method, target, headers, body } = wire;
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#baseUrl;
      const length = body ? { 'content-length': String(body.length) } : {};
      const options = { hostname, port, method, path: target, headers: { ...headers, ...length } };
      const outgoing = request({ ...options, agent: this.#connections }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.once('error', reject);
        incoming.once('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            contentType: incoming.headers['content-type'],
            requestId: incoming.headers['x-request-id'] as string | undefined,
            text: (incoming.headers['content-encoding'] === 'gzip' && method !== 'HEAD'
              ? gunzipSync(Buffer.concat(chunks))
              : Buffer.concat(chunks)
            ).toString(),
          }),
        );
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        // The server closes idle connections; this one may have closed while leaving the pool.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(this.send(wire));
        else reject(new Error(`${method} ${target}: ${error.message}`));
      });
      outgoing.end(body);
    });
  }

  end(): void {
    this.#connections.destroy();
  }
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came. */
export interface Answer {
  status: number;
  text: string;
}

/** A connection ended before the answer came. What was sent may have had its effect. */
export class HungUp extends Error {}

/**
 * One connection that stays open, as an SDK keeps it, with one request at a time on it. When it ends, the request that
 * waits is rejected as `HungUp`, and the next one opens another. It is written out by hand because Node's own clients cost as much CPU a request as the server under test, and both share the machine. It reads
 * only what the servers here send: HTTP/1.1 with a content-length.
 */
export class Connection {
  readonly #url: URL;
  #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(url: URL, socket: Socket) {
    this.#url = url;
    this.#socket = this.#listenTo(socket);
  }

  static async open(baseUrl: string): Promise<Connection> {
    const url = new URL(baseUrl);
    return new Connection(url, await connected(url));
  }

  async send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> {
    if (this.#socket.destroyed) this.#socket = this.#listenTo(await connected(this.#url));
    const head = Object.entries({
      host: this.#url.host,
      ...headers,
      ...(body ? { 'content-type': 'application/json' } : {}),
    })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${head}${length}\r\n${body}`);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #listenTo(socket: Socket): Socket {
    this.#received = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    // "close" follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#waiting?.reject(new HungUp(`${this.#url.host} closed the connection`));
      this.#waiting = undefined;
    });
    return socket;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(bodyEnd)) throw new Error(`no content-length: ${head}`);
    if (this.#received.length < bodyEnd) return;
    const answer = { status: Number(head.slice(9, 12)), text: this.#received.toString('utf8', bodyStart, bodyEnd) };
    this.#received = this.#received.subarray(bodyEnd);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }
}

async function connected({ hostname, port }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

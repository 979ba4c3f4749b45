import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came. */
export interface Answer {
  status: number;
  text: string;
}

/**
 * One connection that stays open, as an SDK keeps it, with one request at a time on it. It is written out by hand
 * because Node's own clients cost as much CPU a request as the server under test, and both share the machine. It reads
 * only what the servers here send: HTTP/1.1 with a content-length.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    const lost = () => this.#waiting?.reject(new Error(`${host} closed the connection`));
    socket.on('error', lost);
    socket.on('close', lost);
  }

  static async open(baseUrl: string): Promise<Connection> {
    const { hostname, port, host } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket, host);
  }

  send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> {
    const head = Object.entries({
      host: this.#host,
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

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that can hang: it then accepts connections and bytes but answers nothing. */
export interface HangingProxy {
  /** The provider's address through this proxy. */
  readonly url: string;
  hang(): void;
  /** How many requests are waiting for nothing. */
  waiting(): number;
  /** Answers again, and cuts off waiting requests. */
  resume(): void;
  close(): Promise<void>;
}

/** Opens a proxy before `url`, for any protocol. */
export async function hangingProxy(url: string): Promise<HangingProxy> {
  const target = new URL(url);
  const provider = { host: target.hostname, port: Number(target.port) };
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  let hangs = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    client.once('close', () => held.delete(client));
    if (hangs) {
      client.resume();
      held.add(client);
      return;
    }
    const beyond = connect(provider);
    keep(beyond);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (!hangs) to.write(bytes);
        else if (from === client) held.add(client);
      });
      from.once('close', () => hangs || to.destroy());
    };
    pass(client, beyond);
    pass(beyond, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.port = String((server.address() as AddressInfo).port);
  target.hostname = '127.0.0.1';
  const cutOff = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: target.href.replace(/\/$/, ''),
    hang: () => {
      hangs = true;
    },
    waiting: () => held.size,
    resume: () => {
      hangs = false;
      cutOff();
    },
    close: () =>
      new Promise((resolve) => {
        cutOff();
        server.close(() => resolve());
      }),
  };
}

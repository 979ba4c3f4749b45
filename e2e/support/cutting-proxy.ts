import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy before a database that can cut every connection through it. */
export interface CuttingProxy {
  readonly url: string;
  /** How many connections were cut. */
  cut(): number;
  /** Cuts all connections each so many milliseconds until the returned function is called. */
  cutEvery(ms: number): () => void;
  close(): void;
}

export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const database = { host: target.hostname, port: Number(target.port) };
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const beyond = connect(database);
    keep(client);
    keep(beyond);
    client.pipe(beyond).pipe(client);
    client.once('close', () => beyond.destroy());
    beyond.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.hostname = '127.0.0.1';
  target.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    const count = sockets.size;
    for (const socket of sockets) socket.destroy();
    return count;
  };
  return {
    url: target.href,
    cut,
    cutEvery(ms) {
      const timer = setInterval(cut, ms);
      return () => clearInterval(timer);
    },
    close() {
      cut();
      server.close();
    },
  };
}

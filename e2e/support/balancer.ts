import { Agent as ConnectionPool, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Spreads requests over ready processes, like a load balancer in production. */
export interface Balancer {
  readonly baseUrl: string;
  add(baseUrl: string): void;
  /** Failures so far: broken connections and server errors. */
  readonly failures: readonly string[];
  /** How many requests were answered. */
  readonly answered: number;
  close(): void;
}

const lookEveryMs = 200;

/** Opens a balancer. It never retries, so that lost requests show. */
export async function openBalancer(): Promise<Balancer> {
  const pool = new ConnectionPool({ keepAlive: true });
  const ready = new Map<string, boolean>();
  const failures: string[] = [];
  let answered = 0;
  let turn = 0;
  const look = async (baseUrl: string) => {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    // Do not ask a stopped process again.
    if (answer === null) ready.delete(baseUrl);
    else ready.set(baseUrl, answer.ok);
  };
  const looking = setInterval(() => {
    for (const baseUrl of ready.keys()) void look(baseUrl);
  }, lookEveryMs);
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    const open = [...ready].filter(([, isReady]) => isReady).map(([baseUrl]) => baseUrl);
    const target = open[turn++ % open.length];
    const failed = (why: string) => {
      failures.push(`${req.method} ${req.url}: ${why}`);
      if (!res.headersSent) res.writeHead(502);
      res.end(why);
    };
    if (!target) return failed('nobody is ready');
    const { hostname, port } = new URL(target);
    const headers = { ...req.headers, connection: 'keep-alive' };
    const onward = request({ hostname, port, path: req.url, method: req.method, headers, agent: pool }, (answer) => {
      answered += 1;
      if ((answer.statusCode ?? 500) >= 500) failures.push(`${req.method} ${req.url}: ${answer.statusCode}`);
      const { connection: _, 'keep-alive': __, ...kept } = answer.headers;
      res.writeHead(answer.statusCode ?? 500, kept);
      answer.pipe(res);
    });
    onward.on('error', (error) => failed(error.message));
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (baseUrl) => ready.set(baseUrl, true),
    failures,
    get answered() {
      return answered;
    },
    close() {
      clearInterval(looking);
      pool.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

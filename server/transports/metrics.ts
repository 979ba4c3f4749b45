import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { availability } from '../availability/availability.ts';
import { type FigureName, figures, readFigures } from '../console/figures.ts';
import { isDiskFull } from '../kernel/disk.ts';
import { errorFields, log } from '../kernel/log.ts';
import { metrics, openGauge } from '../kernel/metrics.ts';
import { readChainBooks } from '../payments/x402/unsettled.ts';
import type { Runtime } from '../runtime.ts';

/** A slower database counts as down, and its metrics are left out. */
const patienceMs = 3_000;
/** Comparing the books with the chains sums all entries of an account. */
const booksEveryMs = 60_000;
/** During a deployment the previous process still has the port. */
const tryAgainMs = 2_000;

/**
 * Serves `/metrics` and `/livez` on a private address: loopback, or any with a token. Null without METRICS_PORT.
 * Retries a taken port until the process stops.
 */
export function serveMetrics(runtime: Runtime, role: 'web' | 'worker'): Server | null {
  const { metrics: at } = runtime.configuration;
  if (!at) return null;
  const read = openReader(runtime, role);
  const server = createServer((req, res) => void answer(at.token, read, req, res));
  const listen = () => {
    if (!runtime.stopping.aborted) server.listen(at.port, at.host);
  };
  server.on('error', (error) => {
    log('metrics_not_served', errorFields(error));
    setTimeout(listen, tryAgainMs).unref();
  });
  server.once('listening', () => log('metrics_ready', { host: at.host, port: at.port }));
  runtime.stopping.addEventListener('abort', () => server.close());
  // It does not keep an otherwise idle process alive.
  server.unref();
  listen();
  return server;
}

async function answer(
  token: string | null,
  read: () => Promise<string>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const path = (req.url ?? '').split('?', 1)[0];
  if (req.method === 'GET' && path === '/livez') return end(res, 200, 'alive\n');
  if (req.method !== 'GET' || path !== '/metrics') return end(res, 404, 'Nothing here.\n');
  if (token !== null && !holds(req.headers.authorization, token)) {
    res.setHeader('www-authenticate', 'Bearer');
    return end(res, 401, 'The token in METRICS_TOKEN is required.\n');
  }
  try {
    const text = await read();
    res.setHeader('content-type', metrics.registry.contentType);
    end(res, 200, text);
  } catch (error) {
    log('metrics_failed', errorFields(error));
    end(res, 500, 'The metrics could not be read.\n');
  }
}

function end(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { 'cache-control': 'no-store' });
  res.end(text);
}

/** Whether a header has the token, in constant time. */
function holds(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

/** Returns a function that reads all metrics of the process in Prometheus' format. */
function openReader(runtime: Runtime, role: 'web' | 'worker'): () => Promise<string> {
  const { db, configuration } = runtime;
  const gauges = Object.fromEntries(
    Object.entries(figures).map(([name, [label, help]]) => [name, openGauge(name, help, label ? [label] : [])]),
  ) as Record<FigureName, ReturnType<typeof openGauge>>;
  const up = openGauge('provider_up', 'Whether a provider answers: 1, or 0.', ['provider']);
  const available = openGauge('available', 'Whether checks are sold and registrations open: 1, or 0.', ['what']);
  const readProcess = openProcessGauges(runtime);
  const difference = openGauge(
    'books_minus_chain_microcents',
    'Our balance in the books and on a chain, at the last searched block; worker only.',
    ['network'],
  );
  let booksAt = Number.NEGATIVE_INFINITY;

  const readDatabase = async () => {
    const found = await readFigures(db.shared, runtime.clock(), configuration.archive?.afterDays ?? null);
    for (const gauge of Object.values(gauges)) clear(gauge);
    for (const { figure, label, value } of found) {
      const name = figures[figure][0];
      gauges[figure].set(name ? { [name]: label ?? '' } : {}, Number(value));
    }
    if (role === 'web' || performance.now() - booksAt < booksEveryMs) return;
    const books = await readChainBooks(db);
    difference.reset();
    for (const { network, balance_microcents, ledger_microcents } of books) {
      if (balance_microcents !== null) difference.set({ network }, Number(ledger_microcents - balance_microcents));
    }
    booksAt = performance.now();
  };

  const readProviders = async () => {
    const { rails, mailer, assessorProbe } = runtime;
    const now = runtime.clock();
    const setUp = [...rails.values()].filter(({ isSetUp }) => isSetUp);
    const [standings, mail, assessor, sold] = await Promise.all([
      Promise.all(setUp.map((rail) => rail.standing(now, false))),
      mailer?.wasReachable(now),
      assessorProbe?.wasUp(now),
      availability(runtime, now),
    ]);
    for (const [index, rail] of setUp.entries()) {
      const { reasons = [], networks = [] } = standings[index] ?? {};
      up.set({ provider: rail.name }, Number(reasons.length === 0));
      // Where no chain answers, list all.
      const isUp = (network: string) => networks.includes(network) && !reasons.includes('chain_unreachable');
      for (const network of rail.networks) up.set({ provider: network }, Number(isUp(network)));
    }
    if (mail !== undefined) up.set({ provider: 'mail' }, Number(mail));
    if (assessor !== undefined) up.set({ provider: 'assessor' }, Number(assessor));
    available.set({ what: 'checks' }, Number(sold.state === 'available'));
    available.set({ what: 'registrations' }, Number(sold.registrations.state === 'open'));
  };

  return async () => {
    const isUp = await Promise.race([readDatabase().then(() => true), later()]).catch(() => false);
    up.set({ provider: 'database' }, Number(isUp));
    // Its last answer may no longer hold.
    if (!isUp) for (const gauge of Object.values(gauges)) clear(gauge);
    await Promise.race([readProviders(), later()]).catch((error) => log('metrics_failed', errorFields(error)));
    readProcess();
    return metrics.registry.metrics();
  };
}

/** Takes back what a gauge told. One without labels would tell 0 instead: a log that was never archived, just now. */
function clear(gauge: ReturnType<typeof openGauge>): void {
  gauge.reset();
  gauge.remove({});
}

/** Returns a function that reads what only this process knows. */
function openProcessGauges({ db, skewSeconds, replica }: Runtime): () => void {
  const skew = openGauge('clock_skew_seconds', "By how much this machine's clock is ahead of the database's.", []);
  const full = openGauge('database_full', 'Whether a write found no room on the disk lately: 1, or 0.', []);
  const pool = openGauge('database_connections', 'Connections of the pool for purchases.', ['state']);
  const lag = replica
    ? openGauge('replica_lag_seconds', 'For how long the replica has not shown what the primary had.', [])
    : null;
  return () => {
    if (replica) lag?.set(replica.watch.lagSeconds());
    skew.set(skewSeconds());
    full.set(Number(isDiskFull(db)));
    const { totalCount, idleCount, waitingCount, options } = db.pool;
    pool.set({ state: 'open' }, totalCount);
    pool.set({ state: 'idle' }, idleCount);
    pool.set({ state: 'waiting' }, waitingCount);
    pool.set({ state: 'limit' }, options.max);
  };
}

function later(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, patienceMs, false).unref());
}

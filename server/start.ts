import { once } from 'node:events';
import type { Server } from 'node:http';
import next from 'next';
import { availability } from './availability/availability.ts';
import { isSupervisor, supervise } from './children.ts';
import { cardGaps } from './configuration/card.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { awaitSurroundings, lookAround } from './environment-faults.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { log } from './kernel/log.ts';
import { requireOwnConnections } from './kernel/pooler.ts';
import { archiveFault, keyFaults, webRuntime } from './open-runtime.ts';
import { stopWhenTold } from './stopping.ts';
import { readyForWork } from './supervisor.ts';
import { startTracing } from './tracing.ts';
import { operationServer } from './transports/http.ts';
import { serveMetrics } from './transports/metrics.ts';

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const configuration = readConfiguration(process.env);
  if (process.argv.includes('--check-config')) return check(configuration);
  const { webProcesses: count, metrics } = configuration;
  if (isSupervisor({ count })) return supervise({ role: 'web', count, metricsPort: metrics?.port ?? null });
  await awaitSurroundings(configuration);
  const endTracing = await startTracing(configuration.tracesUrl, 'web');
  const runtime = await webRuntime();
  const pages = next({ dev: process.env.NODE_ENV === 'development', port: configuration.port });
  await pages.prepare();
  // Probe providers now, so that no request waits for the first answer.
  await availability(runtime, runtime.clock());

  const server = operationServer(runtime, pages.getRequestHandler());
  stopWhenTold(runtime, server, endTracing);
  await listen(server, configuration);
  serveMetrics(runtime, 'web');
  readyForWork();
}

/** Says what is wrong, which stops a start or leaves a rail out, and what is merely not there now, which a start waits for. */
async function check(configuration: Configuration): Promise<void> {
  const { wrong, absent } = await lookAround(configuration);
  const later = absent.map(({ sentence }) => sentence);
  const isDatabaseThere = wrong.length === 0 && absent.every(({ isDatabase }) => !isDatabase);
  if (isDatabaseThere) {
    await requireOwnConnections(configuration.databaseUrl);
    wrong.push(...(await keyFaults(configuration)));
    const bucket = await archiveFault(configuration);
    if (bucket) 'wrong' in bucket ? wrong.push(bucket.wrong) : later.push(bucket.absent);
  }
  wrong.push(...cardGaps(configuration.card));
  if (wrong.length > 0) throw new ConfigurationError(wrong.join('\n'));
  process.stdout.write('The environment is complete.\n');
  if (later.length === 0) return;
  process.stdout.write(`Not there now:\n${later.map((sentence) => `  ${sentence}\n`).join('')}`);
}

/** Listens, or fails: a process that serves nobody must not stay. */
async function listen(server: Server, { host, port }: Configuration): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(`PORT ${port} of ${host} cannot be listened on: ${code}`);
  }
  log('app_ready', { host, port });
}

import next from 'next';
import { readConfiguration } from './configuration.ts';
import { requireSurroundings } from './environment-faults.ts';
import { ConfigurationError } from './kernel/configuration-error.ts';
import { log } from './kernel/log.ts';
import { checkKeys, webRuntime } from './open-runtime.ts';
import { availability } from './service/availability.ts';
import { stopWhenTold } from './stopping.ts';
import { startTracing } from './tracing.ts';
import { operationServer } from './transports/http.ts';
import { serveMetrics } from './transports/metrics.ts';

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const configuration = readConfiguration(process.env);
  const isCheck = process.argv.includes('--check-config');
  await requireSurroundings(configuration, { strict: isCheck });
  if (isCheck) {
    await checkKeys(configuration);
    process.stdout.write('The environment is complete.\n');
    return;
  }
  const endTracing = await startTracing(configuration.tracesUrl, 'web');
  const runtime = await webRuntime();
  const { host, port } = configuration;
  const pages = next({ dev: process.env.NODE_ENV === 'development', port });
  await pages.prepare();
  // Probe providers now, so that no request waits for the first answer.
  await availability(runtime, runtime.clock());

  const server = operationServer(runtime, pages.getRequestHandler());
  serveMetrics(runtime, 'web');
  server.listen(port, host, () => log('app_ready', { host, port }));
  stopWhenTold(runtime, server, endTracing);
}

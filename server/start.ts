import next from 'next';
import { ConfigurationError } from './kernel/assessor-env.ts';
import { readConfiguration } from './kernel/env.ts';
import { log } from './kernel/log.ts';
import { webRuntime } from './open-runtime.ts';
import { operationServer } from './transports/http.ts';

/** After a signal to stop, requests under way get this long to end. */
const drainMs = 10_000;

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const configuration = readConfiguration(process.env);
  if (process.argv.includes('--check-config')) {
    process.stdout.write('The environment is complete.\n');
    return;
  }
  const runtime = await webRuntime();
  const pages = next({ dev: process.env.NODE_ENV === 'development', port: configuration.port });
  await pages.prepare();

  const server = operationServer(runtime, pages.getRequestHandler());
  server.listen(configuration.port, '127.0.0.1', () => log('app_ready', { port: configuration.port }));

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      setTimeout(() => server.closeAllConnections(), drainMs).unref();
      server.close(async () => {
        await runtime.close();
        process.exit(0);
      });
      server.closeIdleConnections();
    });
  }
}

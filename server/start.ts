import { setTimeout as sleep } from 'node:timers/promises';
import next from 'next';
import { ConfigurationError, readConfiguration } from './kernel/env.ts';
import { log } from './kernel/log.ts';
import { webRuntime } from './open-runtime.ts';
import { availability } from './service/availability.ts';
import { ended } from './transports/connections.ts';
import { operationServer } from './transports/http.ts';

/** Once no request is taken any more, those under way get this long to end. Whoever tells a process to stop waits for 10. */
const drainMs = 5_000;

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
  const { host, port } = configuration;
  const pages = next({ dev: process.env.NODE_ENV === 'development', port });
  await pages.prepare();
  // So that nobody waits for what is first known of the providers.
  await availability(runtime, runtime.clock());

  const server = operationServer(runtime, pages.getRequestHandler());
  server.listen(port, host, () => log('app_ready', { host, port }));

  const stop = async (signal: NodeJS.Signals) => {
    log('app_stopping', { signal });
    runtime.beginStop();
    // Who sends requests learns from /readyz to send them elsewhere. A person at a terminal need not wait for that.
    if (signal === 'SIGTERM') await sleep(configuration.stopDelaySeconds * 1_000);
    await ended(server, drainMs);
    await runtime.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
}

/**
 * An API process of its own, as `npm start` runs it but for the pages. It tells its parent the port, and the memory that
 * it holds whenever it is asked; it ends with its parent.
 */
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { openRuntime } from '../../server/open-runtime.ts';
import { stopWhenTold } from '../../server/stopping.ts';
import { startTracing } from '../../server/tracing.ts';
import { operationServer } from '../../server/transports/http.ts';
import { serveMetrics } from '../../server/transports/metrics.ts';

const runtime = await openRuntime(process.env, 'web');
const server = operationServer(runtime, (_, res) => {
  res.writeHead(404).end();
});
// As Next does once it has shown a page. It lets go of no socket that it is handed.
server.on('upgrade', () => {});
serveMetrics(runtime, 'web');
stopWhenTold(runtime, server, await startTracing(runtime.configuration.tracesUrl, 'web'));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  // Twice, because what a finalizer lets go of is collected by the next round only. As a last resort, because otherwise
  // the room for young objects stays as large, by some 50 MB, as the last burst of requests has made it.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
  const descriptors = readdirSync('/proc/self/fd').length;
  process.send?.({ ...process.memoryUsage(), descriptors });
});
process.once('disconnect', () => process.exit());

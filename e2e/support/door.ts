/**
 * An API process like that of `npm start`, without the pages. It sends its parent the port, and its memory whenever
 * asked. It ends with its parent.
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
// Next listens like this once it has shown a page, and never closes these sockets.
server.on('upgrade', () => {});
serveMetrics(runtime, 'web');
stopWhenTold(runtime, server, await startTracing(runtime.configuration.tracesUrl, 'web'));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  // Collect twice: what finalizers release is freed in the next round. `last-resort` also shrinks the young generation,
  // which a burst of requests leaves some 50 MB larger.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
  const descriptors = readdirSync('/proc/self/fd').length;
  process.send?.({ ...process.memoryUsage(), descriptors });
});
process.once('disconnect', () => process.exit());

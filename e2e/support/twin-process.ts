/** The second web process and worker of a test's service: see twin.ts. It ends with its parent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRuntime } from '../../server/open-runtime.ts';
import { executeJob } from '../../server/purchases/work/execute.ts';
import type { Runtime } from '../../server/runtime.ts';
import { answerOperation } from '../../server/transports/http.ts';
import { openChecker } from '../../server/work-check/checker.ts';
import { everyRound } from './rounds.ts';
import { type Order, shiftHeader } from './twin.ts';

let shiftMs = 0;
const opened = await openRuntime(process.env, 'web');
const runtime: Runtime = { ...opened, clock: () => new Date(Date.now() + shiftMs) };
const checker = openChecker(runtime.configuration.assessor);
const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
  shiftMs = Number(req.headers[shiftHeader]);
  delete req.headers[shiftHeader];
  if (!(await answerOperation(runtime, req, res))) res.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', async ({ id, execute, ...order }: Order) => {
  shiftMs = order.shiftMs;
  const done = execute === null ? everyRound(runtime) : executeJob(runtime, checker, execute);
  const error = await done.then(
    () => null,
    (reason) => String(reason?.stack ?? reason),
  );
  process.send?.({ id, error });
});
process.once('disconnect', () => process.exit());

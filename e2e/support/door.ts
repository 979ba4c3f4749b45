import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRuntime } from '../../server/open-runtime.ts';
import { answerOperation } from '../../server/transports/http.ts';

// An API process of its own, without pages. It tells its parent the port, and ends with it.
const runtime = await openRuntime(process.env, 'web');
const server = createServer(async (req, res) => {
  if (!(await answerOperation(runtime, req, res))) res.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());

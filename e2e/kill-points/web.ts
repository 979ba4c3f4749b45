/** `npm start` without its pages, which take longer to load than a trial takes. */
import { log } from '../../server/kernel/log.ts';
import { openRuntime } from '../../server/open-runtime.ts';
import { operationServer } from '../../server/transports/http.ts';

const runtime = await openRuntime(process.env, 'web');
const server = operationServer(runtime, (_, res) => {
  res.writeHead(404).end();
});
const { host, port } = runtime.configuration;
server.listen(port, host, () => log('app_ready', { host, port }));

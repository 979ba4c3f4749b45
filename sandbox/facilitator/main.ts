// The facilitator's own process: `main.ts PORT`. Starts anew for each message of its parent, the addresses of the nodes,
// and says when it listens.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { onEnd } from '../process-end.ts';
import { type NodeUrls, startFacilitator } from './facilitator.ts';

const port = Number(process.argv[2]);
let server: Server | undefined;

process.on('message', async (nodeUrls: NodeUrls) => {
  try {
    if (server) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
    server = await startFacilitator(port, nodeUrls);
    process.send?.({ ready: true });
  } catch (error) {
    process.send?.({ failed: error instanceof Error ? error.message : String(error) }, () => process.exit(1));
  }
});
onEnd(() => {
  if (!server) process.exit(0);
  server.close(() => process.exit(0));
  server.closeAllConnections();
});

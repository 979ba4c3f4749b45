// The facilitator's own process: `main.ts PORT NODE_URLS_JSON`. Tells its parent when it listens.
import { onEnd } from '../process-end.ts';
import { startFacilitator } from './facilitator.ts';

const [port, nodeUrls] = process.argv.slice(2);

try {
  const server = await startFacilitator(Number(port), JSON.parse(nodeUrls ?? '{}'));
  onEnd(() => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
  process.send?.({ ready: true });
} catch (error) {
  process.send?.({ failed: error instanceof Error ? error.message : String(error) }, () => process.exit(1));
}

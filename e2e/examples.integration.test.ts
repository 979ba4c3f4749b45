import path from 'node:path';
import { expect, it } from 'vitest';
import { runExample } from './support/run-example.ts';
import { startService } from './support/service.ts';

const service = await startService();

// Those with libraries of their own run in `npm run test:deep`.
it('the example for the plain MCP client buys a check, pays once and says the verdict', async () => {
  await service.startWorker().ready;
  const example = path.resolve(import.meta.dirname, '../client/examples/plain-mcp.ts');
  const { out, err, jobs, verdict } = await runExample(example, service);
  expect([out, err]).toEqual([`The verdict is ${verdict}.\n`, '']);
  expect(jobs).toMatchObject([{ state: 'accepted', payment_state: 'collected' }]);
});

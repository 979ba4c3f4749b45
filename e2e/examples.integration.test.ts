import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from './support/agent.ts';
import { buyingByCard, listen } from './support/card.ts';
import { runExample } from './support/run-example.ts';
import { startService, withCard } from './support/service.ts';

const service = await startService(withCard);
const example = path.resolve(import.meta.dirname, '../client/examples/plain-mcp.ts');
let agent: Agent;
beforeAll(async () => {
  await listen(service);
  // The worker takes the letter that a registration waits for.
  agent = (await buyingByCard(service)).agent;
  await service.startWorker().ready;
});

// Those with libraries of their own run in `npm run test:deep`.
describe('the example for the plain MCP client', () => {
  it.each([
    ['over x402', '', () => undefined],
    ['by card', 'Pay at \\S+\\n', () => agent],
  ])('buys a check %s, pays once and says the verdict', async (_, shown, registered) => {
    const { out, err, jobs, verdict } = await runExample(example, service, { registered: registered() });
    expect([out, err]).toEqual([expect.stringMatching(`^${shown}The verdict is ${verdict}\\.\n$`), '']);
    expect(jobs).toMatchObject([{ state: 'accepted', payment_state: 'collected' }]);
  });
});

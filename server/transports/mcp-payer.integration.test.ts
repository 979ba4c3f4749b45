import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { buyingByCard } from '../../e2e/support/card.ts';
import { startService, withCard } from '../../e2e/support/service.ts';

const service = await startService(withCard);

/** Asks to pay a job by card, as a host with these capabilities; `opened` are the pages that it was asked to open. */
async function payAs(
  elicitation: { url?: Record<string, never>; form?: Record<string, never> } | null,
  action: 'accept' | 'decline' = 'accept',
) {
  const { agent } = await buyingByCard(service);
  const job_key = await agent.authorizedJob();
  const opened: string[] = [];
  const client = new Client(
    { name: 'a host', version: '1' },
    { capabilities: elicitation ? { elicitation } : {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  if (elicitation)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (params.mode === 'url') opened.push(params.url);
      return { action };
    });
  const requestInit = { headers: { authorization: `Bearer ${agent.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit }));
  const order = { job_key, rail: 'card', idempotency_key: randomUUID() };
  const { structuredContent } = await client.callTool({ name: 'svc_pay', arguments: order });
  await client.close();
  return { opened, paying: structuredContent as { payment_state: string; continuation_url: string } };
}

describe('the page where a person pays', () => {
  it.each(['accept', 'decline'] as const)(
    'is opened by a host that can, whose call then has the link (%s)',
    async (action) => {
      const { opened, paying } = await payAs({ url: {} }, action);
      expect(paying.payment_state).toBe('requires_payer');
      expect(opened).toEqual([paying.continuation_url]);
    },
  );

  it.each([[null], [{ form: {} }]])('is a link for every other host (%j)', async (elicitation) => {
    const { opened, paying } = await payAs(elicitation);
    expect([opened, paying.payment_state]).toEqual([[], 'requires_payer']);
    expect(paying.continuation_url).toMatch(/^http/);
  });
});

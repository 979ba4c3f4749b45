import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';

const service = await startService();
const address = new URL(`${service.baseUrl}/mcp`);
const about = { name: 'a buyer', version: '1' };

interface Step {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}
type Follow = (jobKey: string, tell: (step: Step) => void) => Promise<{ state: string }>;

const callOf = (job_key: string) => ({ name: 'svc_purchase_status', arguments: { job_key, wait_seconds: 20 } });

/** Follows a job with a stock client that asks for progress. */
const followers: Record<string, (token: string) => Promise<Follow>> = {
  'the current client': async (token) => {
    const client = new Client(about);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    return async (jobKey, onprogress) =>
      (await client.callTool(callOf(jobKey), { onprogress })).structuredContent as { state: string };
  },
  'the package before it': async (token) => {
    const client = new OldClient(about);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new OldTransport(address, { requestInit }) as unknown as Parameters<OldClient['connect']>[0]);
    return async (jobKey, onprogress) =>
      (await client.callTool(callOf(jobKey), undefined, { onprogress })).structuredContent as { state: string };
  },
};

it.each(Object.keys(followers))('%s hears how far a running check is, and gets the delivered job', async (kind) => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  const follow = await followers[kind]?.(agent.token);
  const steps: Step[] = [];
  const following = follow?.(jobKey, (step) => steps.push(step));
  await expect.poll(() => steps.length, { timeout: 10_000 }).toBe(1);
  expect(steps[0]).toMatchObject({ progress: 0, total: 100, message: 'queued' });
  await service.execute(jobKey);
  expect(await following).toMatchObject({ state: 'delivered' });
  const heard = steps.map(({ progress }) => progress);
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  expect(heard.at(-1)).toBe(100);
});

it('a call that wants progress and has no credential is 401, as any other', async () => {
  const params = { ...callOf('job_none'), _meta: { progressToken: 'a' } };
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=');
});

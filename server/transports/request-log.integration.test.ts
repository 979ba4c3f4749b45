import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { newToken } from '../identity/token.ts';
import { operationServer } from './http.ts';

const service = await startService();
const server = operationServer(service.runtime, (_, res) => void res.end('a page'));
let agent: Agent;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  agent = (await Agent.arrive(service)).at(baseUrl);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** The lines that the process logs during `work` and shortly after. */
async function logged(work: () => Promise<unknown>, wanted: number): Promise<string[]> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    lines.push(...String(chunk).split('\n').filter(Boolean));
    return true;
  });
  try {
    await work();
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(wanted);
  } finally {
    spy.mockRestore();
  }
  return lines;
}

const secretWords = 'The merger with Halden is off.';

it('each request is one line: when, what, how it ended, how long it took and under which id', async () => {
  let requestId: string | null = null;
  const lines = await logged(async () => {
    const answer = await agent.post('/api/agent/v1/checks?colour=red', { work_product: secretWords });
    requestId = answer.headers.get('x-request-id');
  }, 1);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      event: 'request',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      process: expect.stringMatching(/:\d+$/),
      method: 'POST',
      path: '/api/agent/v1/checks',
      status: 422,
      ms: expect.any(Number),
      request_id: requestId,
    },
  ]);
});

it('no line holds content, a query or a credential, wherever that stood in the request', async () => {
  const token = newToken('agent');
  const paths = [`/api/agent/v1/jobs/${token}`, `/docs/${encodeURIComponent(token)}`, `/docs?token=${token}`];
  const lines = await logged(async () => {
    for (const path of paths) await agent.get(path);
    await agent.get('/api/agent/v1/me', { authorization: `Bearer ${token}`, cookie: `session=${token}` });
    await agent.post('/api/agent/v1/checks', { work_product: secretWords, criteria: [secretWords] });
    await agent.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: secretWords } });
    await agent.get(`/docs?q=${encodeURIComponent(secretWords)}`);
  }, 7);
  expect(lines).toHaveLength(7);
  for (const line of lines) {
    expect(line).not.toContain(token);
    expect(decodeURIComponent(line)).not.toContain('merger');
    expect(line).not.toContain(agent.token);
  }
});

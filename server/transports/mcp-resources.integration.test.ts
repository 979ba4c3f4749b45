import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';

const service = await startService();

async function connected(token?: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'a host', version: '1' });
  const options = token ? { requestInit: { headers: { authorization: `Bearer ${token}` } } } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp${query}`), options));
  return client;
}

const textOf = async (client: Client, uri: string) => {
  const [content] = (await client.readResource({ uri })).contents;
  return content && 'text' in content ? content.text : '';
};

describe('what a host attaches to a conversation', () => {
  it('is the contract, for everybody', async () => {
    const host = await connected();
    const { resources } = await host.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['svc://contract']);
    const contract = JSON.parse(await textOf(host, 'svc://contract'));
    expect(contract.service_key).toBe('svc_work_check');
    await host.close();
  });

  it('is the report and the receipt of a job, for who bought it', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    const host = await connected(agent.token ?? '');
    const { resourceTemplates } = await host.listResourceTemplates();
    const at = (name: string) =>
      resourceTemplates.find((template) => template.name === name)?.uriTemplate.replace('{job_key}', jobKey) ?? '';
    await expect(host.readResource({ uri: at('report') })).rejects.toThrow(/not ready|not been delivered|report/i);
    await service.execute(jobKey);
    const report = (await agent.get(`/api/agent/v1/jobs/${jobKey}/report`)).body;
    expect(await textOf(host, at('report'))).toBe(report.report.body);
    const receipt = await textOf(host, at('receipt'));
    expect(JSON.parse(receipt)).toEqual((await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body);
    const other = await connected((await Agent.arrive(service)).token ?? '');
    const missing = at('report').replace(jobKey, 'job_0000000000000000000000');
    for (const uri of [at('report'), at('receipt'), missing, 'svc://jobs', 'file:///etc/passwd']) {
      await expect(other.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
    }
    await Promise.all([host.close(), other.close()]);
  });

  it('sends a host without a credential to sign in', async () => {
    const answer = await fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'resources/read',
        params: { uri: 'svc://jobs/job_1/report' },
      }),
    });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('resource_metadata='),
    ]);
  });
});

describe('the prompt', () => {
  it('walks through a purchase by the names that the host sees, with the work as material', async () => {
    for (const [query, tool] of [
      ['', 'svc_check_work'],
      ['?profile=buyer', 'svc.check_work'],
    ] as const) {
      const host = await connected(undefined, query);
      const [prompt] = (await host.listPrompts()).prompts;
      expect(prompt?.arguments?.map(({ name }) => name)).toEqual(['work', 'request', 'evidence']);
      const given = { work: 'Sales rose 12%.', request: 'How did sales do?', evidence: 'Sales: 100, then 112.' };
      const { messages } = await host.getPrompt({ name: prompt?.name ?? '', arguments: given });
      const [message] = messages;
      const text = message?.content.type === 'text' ? message.content.text : '';
      expect(text).toContain(tool);
      expect(text).toContain('5.00 USD');
      for (const value of Object.values(given)) expect(text).toContain(value);
      await expect(host.getPrompt({ name: 'refund', arguments: {} })).rejects.toThrow('There is no prompt');
      await expect(host.getPrompt({ name: 'buy_check', arguments: { work: 'x' } })).rejects.toThrow(
        'request is missing',
      );
      await host.close();
    }
  });
});

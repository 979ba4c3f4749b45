import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { Agent } from '../e2e/support/agent.ts';
import { startService } from '../e2e/support/service.ts';
import { startDoor } from '../e2e/support/start-door.ts';
import { exampleRequest } from './work-check/sample.ts';

interface Span {
  traceId: string;
  name: string;
  instance: string;
  attributes: Record<string, string | number | undefined>;
}

/** Receives traces like a collector: OTLP over HTTP, as JSON. */
const bodies: string[] = [];
const headers: (string | undefined)[] = [];
const receiver = createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  if (req.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString());
  headers.push(req.headers['x-collector-key'] as string | undefined);
  res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
afterAll(() => void receiver.close());

const service = await startService({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=open',
});

function spans(): Span[] {
  type Value = { stringValue?: string; intValue?: number };
  const named = (list: { key: string; value: Value }[]) =>
    Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
  return bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap(
      (one: {
        resource: { attributes: [] };
        scopeSpans: { spans: { traceId: string; name: string; attributes: [] }[] }[];
      }) =>
        one.scopeSpans.flatMap((scope) =>
          scope.spans.map(({ traceId, name, attributes }) => ({
            traceId,
            name,
            instance: String(named(one.resource.attributes)['service.instance.id']),
            attributes: named(attributes),
          })),
        ),
    ),
  );
}

const strangersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';

it('a payment and its check are one trace over web, providers and worker, without content or secret', {
  timeout: 120_000,
}, async () => {
  const door = await startDoor(service.environment);
  const worker = service.startWorker();
  await worker.ready;
  const agent = (await Agent.arrive(service)).at(door.baseUrl);
  const jobKey = await agent.authorizedJob();
  const signature = await agent.signPayment(jobKey);
  const paid = await agent.pay(jobKey, { signature });
  await agent.job(jobKey, { traceparent: `00-${strangersTrace}-00f067aa0ba902b7-01` });
  await expect.poll(async () => (await agent.job(jobKey)).body.state, { timeout: 20_000 }).toBe('delivered');
  await Promise.all([door.stop(), worker.stop()]);

  const all = spans();
  const requestId = paid.headers.get('x-request-id');
  const pay = all.find(({ name, attributes }) => name === 'pay' && attributes.request_id === requestId);
  expect(pay?.attributes).toMatchObject({ 'http.response.status_code': 200 });
  const trace = all.filter(({ traceId }) => traceId === pay?.traceId);
  expect(trace.some(({ name, attributes }) => name === 'call' && attributes['url.path'] === '/settle')).toBe(true);
  expect(trace.some(({ attributes }) => attributes['rpc.method'] === 'eth_getTransactionReceipt')).toBe(true);
  const check = trace.find(({ name }) => name === 'check');
  expect(check?.attributes.job_key).toBe(jobKey);
  expect(check?.instance).toMatch(/^worker:/);
  expect(pay?.instance).toMatch(/^web:/);

  expect(all.map(({ traceId }) => traceId)).not.toContain(strangersTrace);
  const text = bodies.join('\n');
  for (const secret of [agent.token, signature, agent.wallet.address, exampleRequest.request, 'Halden', 'Bearer']) {
    expect(text.toLowerCase()).not.toContain(String(secret).toLowerCase());
  }
  expect(new Set(headers)).toEqual(new Set(['open']));
});

it('without a receiver nothing is measured, and a message says what it did before', { timeout: 120_000 }, async () => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...environment } = service.environment;
  const door = await startDoor({ ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  const before = bodies.length;
  const agent = (await Agent.arrive(service)).at(door.baseUrl);
  const jobKey = await agent.paidJob();
  await door.stop();
  const { rows } = await service.database.pool.query(`select data from pgboss.job where singleton_key = $1`, [jobKey]);
  expect(rows).toEqual([{ data: { job_key: jobKey } }]);
  expect(bodies.length).toBe(before);
  await service.execute(jobKey);
});

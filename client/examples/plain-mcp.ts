/** Buys a check with the MCP client alone: what a model would decide is written down here. */
import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { baseUrl, limitMicrocents, own, request, signIn } from './task.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every tool.
type Body = any;

const client = new Client({ name: 'example', version: '1' });
const requestInit = { headers: { authorization: `Bearer ${await signIn()}` } };
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit }));

async function call(name: string, args: Record<string, unknown>): Promise<Body> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  const body: Body = structuredContent;
  if (isError && !body.accepts) throw new Error(`${name}: ${body.detail}`);
  return body;
}

const order = { ...request, max_price_microcents: limitMicrocents, idempotency_key: randomUUID() };
const { quote_key, terms_version } = await call('svc_check_work', order);
const { job_key } = await call('svc_authorize_purchase', { quote_key, terms_version });
const payment = { job_key, rail: own.name === 'show_link' ? 'card' : 'x402', idempotency_key: randomUUID() };
const asked = await call('svc_pay', payment);
if (asked.continuation_url) await own.run({ link: asked.continuation_url });
else await call('svc_pay', { ...payment, payment: JSON.parse(await own.run(asked)) });
let job: Body;
do job = await call('svc_purchase_status', { job_key, wait_seconds: 25 });
while (job.state === 'awaiting_payment' || job.state === 'queued' || job.state === 'running');
const { verdict } = await call('svc_get_report', { job_key });
await call('svc_review_delivery', { job_key, decision: 'accept' });
await client.close();
console.log(`The verdict is ${verdict}.`);

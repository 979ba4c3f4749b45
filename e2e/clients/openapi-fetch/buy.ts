/** A purchase with openapi-fetch and the types that openapi-typescript makes of our document. */
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const { BASE_URL: baseUrl = '', TOKEN: token, OWNER_URL: owner, RAIL } = process.env;
const rail = RAIL === 'card' ? 'card' : 'x402';
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
const ask = async (path: string, body: string) => (await fetch(owner + path, { method: 'POST', body })).text();

/** The data of an answer; what was refused is thrown. */
function good<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const quote = good(
  await client.POST('/api/agent/v1/checks', {
    body: {
      request: 'Say in one sentence how sales developed.',
      work_product: 'Sales rose 12% in 2025, from 100 to 112.',
      evidence: [{ source: 'annual report', text: 'Sales were 100 in 2024 and 112 in 2025.' }],
      max_price_microcents: 500_000_000,
      idempotency_key: crypto.randomUUID(),
    },
  }),
);
const { quote_key, terms_version } = quote;
const authorized = await client.POST('/api/agent/v1/purchases/{quote_key}/authorize', {
  params: { path: { quote_key } },
  body: { terms_version },
});
const { job_key } = good(authorized);
const path = { job_key };

const pay = (header?: string) =>
  client.POST('/api/agent/v1/jobs/{job_key}/payments', {
    params: { path, ...(header === undefined ? {} : { header: { 'PAYMENT-SIGNATURE': header } }) },
    body: { rail, idempotency_key: `${rail}-${job_key}` },
  });
const asked = await pay();
if (asked.response.status === 402) good(await pay(await ask('/sign', JSON.stringify(asked.error))));
else {
  const pending = good(asked);
  if (!('continuation_url' in pending)) throw new Error('nobody is asked to pay');
  await ask('/show', String(pending.continuation_url));
}

const look = () =>
  client.GET('/api/agent/v1/jobs/{job_key}', { params: { path, header: { Prefer: 'wait=25' } } }).then(good);
let job = await look();
while (job.state === 'queued' || job.state === 'running') job = await look();
const { verdict } = good(await client.GET('/api/agent/v1/jobs/{job_key}/report', { params: { path } }));
good(await client.POST('/api/agent/v1/jobs/{job_key}/review', { params: { path }, body: { decision: 'accept' } }));
const { collection } = good(await client.GET('/api/agent/v1/jobs/{job_key}/receipt', { params: { path } }));
if (collection.rail !== rail) throw new Error(`the receipt names ${collection.rail}`);
console.log(`The verdict is ${verdict}.`);

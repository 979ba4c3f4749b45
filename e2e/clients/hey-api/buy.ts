/** A purchase with the client that hey-api makes of our document. */
import { client } from './made/client.gen.js';
import {
  authorize,
  checkWork,
  job as lookAt,
  pay,
  receipt as receiptOf,
  report as reportOf,
  review,
} from './made/index.js';

const { BASE_URL: baseUrl = '', TOKEN: auth = '', OWNER_URL: owner, RAIL } = process.env;
const rail = RAIL === 'card' ? 'card' : 'x402';
client.setConfig({ baseUrl, auth, throwOnError: true });
const ask = async (path: string, body: string) => (await fetch(owner + path, { method: 'POST', body })).text();

const { data: quote } = await checkWork({
  throwOnError: true,
  body: {
    request: 'Say in one sentence how sales developed.',
    work_product: 'Sales rose 12% in 2025, from 100 to 112.',
    evidence: [{ source: 'annual report', text: 'Sales were 100 in 2024 and 112 in 2025.' }],
    max_price_microcents: 500_000_000,
    idempotency_key: crypto.randomUUID(),
  },
});
const { quote_key, terms_version } = quote;
const { data: authorized } = await authorize({ throwOnError: true, path: { quote_key }, body: { terms_version } });
const path = { job_key: authorized.job_key };

const body = { rail, idempotency_key: `${rail}-${path.job_key}` } as const;
const asked = await pay({ throwOnError: false, path, body });
if (asked.response?.status === 402) {
  const headers = { 'PAYMENT-SIGNATURE': await ask('/sign', JSON.stringify(asked.error)) };
  await pay({ throwOnError: true, path, body, headers });
} else if (asked.data && 'continuation_url' in asked.data) await ask('/show', String(asked.data.continuation_url));
else throw new Error(JSON.stringify(asked.error));

const look = async () => (await lookAt({ throwOnError: true, path, headers: { Prefer: 'wait=25' } })).data;
let job = await look();
while (job.state === 'queued' || job.state === 'running') job = await look();
const { verdict } = (await reportOf({ throwOnError: true, path })).data;
await review({ throwOnError: true, path, body: { decision: 'accept' } });
const { collection } = (await receiptOf({ throwOnError: true, path })).data;
if (collection.rail !== rail) throw new Error(`the receipt names ${collection.rail}`);
console.log(`The verdict is ${verdict}.`);

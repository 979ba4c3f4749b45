/** A purchase as a model makes it over MCP: by tools with arguments alone. */
import { rail, show, sign } from './owner.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every tool.
type Answer = any;
type Call = (name: string, args: Record<string, unknown>) => Promise<Answer>;

/** Buys a check with a client's way to call a tool; resolves to the verdict. */
export async function buyOverMcp(call: Call): Promise<string> {
  const order = {
    request: 'Say in one sentence how sales developed.',
    work_product: 'Sales rose 12% in 2025, from 100 to 112.',
    evidence: [{ source: 'annual report', text: 'Sales were 100 in 2024 and 112 in 2025.' }],
    max_price_microcents: 500_000_000,
    idempotency_key: crypto.randomUUID(),
  };
  const { quote_key, terms_version } = await call('svc_check_work', order);
  const { job_key } = await call('svc_authorize_purchase', { quote_key, terms_version });
  const payment = { job_key, rail, idempotency_key: crypto.randomUUID() };
  const asked = await call('svc_pay', payment);
  if (rail === 'card') await show(asked.continuation_url);
  else await call('svc_pay', { ...payment, payment: (await sign(asked)).payment });
  let job: Answer;
  do job = await call('svc_purchase_status', { job_key, wait_seconds: 25 });
  while (job.state === 'queued' || job.state === 'running');
  const { verdict } = await call('svc_get_report', { job_key });
  await call('svc_review_delivery', { job_key, decision: 'accept' });
  const { collection } = await call('svc_get_receipt', { job_key });
  if (collection.rail !== rail) throw new Error(`the receipt names ${collection.rail}`);
  return verdict;
}

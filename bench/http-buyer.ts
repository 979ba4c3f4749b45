import { randomBytes, randomUUID } from 'node:crypto';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import type { Latencies } from './measure.ts';
import type { Principal } from './sql-buyer.ts';

const pollMs = 3;

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a load generator looks into answers of every shape.
  body: any;
}

/** One whole purchase over HTTP, as an agent makes it; the time of each request is kept by operation. */
export async function buyOverHttp(baseUrl: string, who: Principal, body: object, times: Latencies): Promise<void> {
  const call = async (name: string, method: string, path: string, sent?: object, headers = {}): Promise<Answer> => {
    const startedAt = performance.now();
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/json', ...headers },
      ...(sent ? { body: JSON.stringify(sent) } : {}),
    });
    const answer = { status: response.status, body: await response.json() };
    times.add(name, performance.now() - startedAt);
    if (response.status >= 400 && response.status !== 402) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const quote = await call('check_work', 'POST', '/api/agent/v1/checks', { ...body, idempotency_key: randomUUID() });
  const authorized = await call('authorize', 'POST', `/api/agent/v1/purchases/${quote.body.quote_key}/authorize`, {
    terms_version: quote.body.terms_version,
  });
  const job = `/api/agent/v1/jobs/${authorized.body.job_key}`;
  const payment = { rail: 'x402', network: 'eip155:84532', idempotency_key: randomUUID() };
  const unpaid = await call('pay (402)', 'POST', `${job}/payments`, payment);
  await call('pay', 'POST', `${job}/payments`, payment, { 'payment-signature': signed(unpaid.body, who.principalKey) });
  for (let state = ''; state !== 'delivered'; ) {
    state = (await call('job', 'GET', job)).body.state;
    if (state !== 'delivered') await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  await call('report', 'GET', `${job}/report`);
  await call('review', 'POST', `${job}/review`, { decision: 'accept' });
}

/** A payment payload that the stub believes: making real signatures would measure the buyer. */
function signed(required: PaymentRequired, from: string): string {
  const [accepted] = required.accepts;
  if (!accepted) throw new Error('nothing to pay');
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + 120),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const payload = { authorization, signature: `0x${'11'.repeat(65)}` };
  return encodePaymentSignatureHeader({ x402Version: 2, resource: required.resource, accepted, payload });
}

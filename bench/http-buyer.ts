import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentRequired } from '@x402/core/types';
import type { RailName } from '../server/payments/contract.ts';
import { price } from '../server/service/terms.ts';
import { exampleRequest } from '../server/work-check/sample.ts';
import type { Principal } from './arena.ts';
import type { Connection } from './http-client.ts';
import type { Latencies } from './measure.ts';

/** The pause between two reads of a job that is not delivered yet. */
const pollMs = 20;
/** A job that takes longer than this has been lost. */
const deliveryMaxMs = 60_000;
export const checkRequest = { ...exampleRequest, max_price_microcents: Number(price) };

/** What stands in for the worker where there is none. Gets the quote's key and the answer to the payment. */
type Work = (quoteKey: string, paid: { job_key: string; message?: string }) => Promise<void>;

/** One whole purchase over HTTP, as an agent makes it, paid by `by`; the time of each request is kept by operation. */
export async function buyOverHttp(
  connection: Connection,
  who: Principal,
  times: Latencies,
  { work, by = 'x402' }: { work?: Work | undefined; by?: RailName | undefined } = {},
): Promise<string> {
  const call = async (name: string, request: `${'GET' | 'POST'} /${string}`, sent?: object, headers = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const startedAt = performance.now();
    const authorized = { authorization: `Bearer ${who.token}`, ...headers };
    const answer = await connection.send(method, path, authorized, sent && JSON.stringify(sent));
    times.add(name, performance.now() - startedAt);
    if (answer.status >= 400 && answer.status !== 402) throw new Error(`${name}: ${answer.text}`);
    return JSON.parse(answer.text);
  };
  const quote = await call('check_work', 'POST /api/agent/v1/checks', {
    ...checkRequest,
    idempotency_key: randomUUID(),
  });
  const authorized = await call('authorize', `POST /api/agent/v1/purchases/${quote.quote_key}/authorize`, {
    terms_version: quote.terms_version,
  });
  const job = `/api/agent/v1/jobs/${authorized.job_key}` as const;
  const pay = async () => {
    const idempotency_key = randomUUID();
    if (by === 'card') {
      return call('pay', `POST ${job}/payments`, { rail: 'card', method: 'card_saved', idempotency_key });
    }
    const payment = { rail: 'x402', network: 'eip155:84532', idempotency_key };
    const unpaid = await call('pay, unpaid', `POST ${job}/payments`, payment);
    const header = { 'payment-signature': signed(unpaid, who.principalKey) };
    return call('pay', `POST ${job}/payments`, payment, header);
  };
  const paid = await pay();
  await work?.(quote.quote_key, paid);
  const deliverBy = performance.now() + deliveryMaxMs;
  for (let state = ''; state !== 'delivered'; ) {
    if (performance.now() > deliverBy) throw new Error(`${authorized.job_key} is still ${state}`);
    if (!work) await sleep(pollMs);
    ({ state } = await call('job', `GET ${job}`));
  }
  await call('report', `GET ${job}/report`);
  await call('review', `POST ${job}/review`, { decision: 'accept' });
  return authorized.job_key;
}

/** A payment payload that the stub believes: making real signatures would measure the buyer. */
export function signed(required: PaymentRequired, from: string): string {
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
  const signature = { x402Version: 2, resource: required.resource, accepted, payload };
  return Buffer.from(JSON.stringify(signature)).toString('base64');
}

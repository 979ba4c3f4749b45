/**
 * A Stripe that answers at once and moves nothing, in a process of its own behind the real protocol: what is left of a
 * payment by a kept card is the service's own work. `stripe-stub.ts PORT`.
 */
import { createServer, type IncomingMessage } from 'node:http';

const [port] = process.argv.slice(2);
/** What an intent was made with, by its id. */
const made = new Map<string, URLSearchParams>();

// Never close idle connections: the service might be sending on one.
createServer({ keepAliveTimeout: 0 }, async (req, res) => {
  const body = await text(req);
  const answer = JSON.stringify(answerTo(req.method ?? '', new URL(req.url ?? '/', 'http://stub').pathname, body));
  res.setHeader('content-type', 'application/json');
  res.setHeader('content-length', Buffer.byteLength(answer));
  res.end(answer);
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());

function answerTo(method: string, path: string, body: string): unknown {
  const [, , kind, id, action] = path.split('/');
  if (kind !== 'payment_intents')
    return { object: 'list', url: path, has_more: false, data: [], available: [], pending: [] };
  if (method === 'POST' && id === undefined) {
    const key = `pi_${made.size + 1}_${process.pid}`;
    made.set(key, new URLSearchParams(body));
    return intent(key, 'requires_confirmation');
  }
  return intent(id ?? '', action === 'confirm' || method === 'GET' ? 'succeeded' : 'requires_confirmation');
}

function intent(id: string, status: string) {
  const given = made.get(id);
  const amount = Number(given?.get('amount'));
  return {
    ...{ id, object: 'payment_intent', status, amount, currency: 'usd', livemode: false },
    amount_received: status === 'succeeded' ? amount : 0,
    customer: given?.get('customer'),
    last_payment_error: null,
    latest_charge:
      status === 'succeeded'
        ? { id: `ch${id.slice(2)}`, object: 'charge', balance_transaction: { object: 'balance_transaction', fee: 45 } }
        : null,
    metadata: { payment_key: given?.get('metadata[payment_key]') },
    payment_method: null,
  };
}

async function text(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

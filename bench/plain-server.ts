/**
 * The same purchase behind plain node:http: a request is one read of its credential, and of the row it asks for, then
 * one function of `purchase.sql`, and the answer is what PostgreSQL gives. It checks nothing and signs nothing; it
 * calls the facilitator and the chain as often as the service does. `plain-server.ts PORT DATABASE_URL SECRET_KEY STUB`.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import pg from 'pg';
import { tokenHash } from '../server/identity/token.ts';
import { openKeyring } from '../server/kernel/keyring.ts';
import { callFunction } from './sql-buyer.ts';

const [port, databaseUrl, secretKey = '', stub = ''] = process.argv.slice(2);
const { first: secret } = openKeyring([secretKey]);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });
const run = (name: string, ...values: string[]) => callFunction(pool, name, ...values);
const outgoing = new Agent({ keepAlive: true });
const sample = (await pool.query('select quote_answer::json, price from bench_sample')).rows[0];
const offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '5000000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: `0x${'22'.repeat(20)}`,
  maxTimeoutSeconds: 120,
  extra: { name: 'USDC', version: '2' },
};

interface Credential {
  principal_key: string;
  account_key: string;
  grant_key: string;
  /** The answer that was given to this request before. */
  known: string | null;
}

createServer({ keepAliveTimeout: 0 }, async (req, res) => {
  const { status, body } = await reply(req).catch((error) => ({ status: 500, body: { error: String(error) } }));
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());

async function reply(req: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const [, , , , kind, key = '', action] = (req.url ?? '').split('/');
  const hash = tokenHash(req.headers.authorization?.slice('Bearer '.length) ?? '', secret);
  if (req.method === 'GET') return { status: 200, body: await run(`bench_read_${action ?? 'job'}`, hash, key) };
  const body = JSON.parse(await textOf(req));
  if (kind === 'checks') return { status: 201, body: await quote(hash, body.idempotency_key) };
  if (action === 'payments') return pay(req, hash, key, body.idempotency_key);
  const who = (await run('bench_admit', hash, '', '', '')) as Credential;
  if (kind === 'purchases') {
    const { principal_key, account_key, grant_key } = who;
    return {
      status: 201,
      body: await run('bench_authorize', principal_key, account_key, grant_key, key, newKey('job')),
    };
  }
  const row = (await run('bench_job', key)) as { quote_key: string };
  return { status: 200, body: await run('bench_accept', who.principal_key, row.quote_key, key) };
}

async function quote(hash: string, idempotencyKey: string): Promise<unknown> {
  const who = (await run('bench_admit', hash, 'check_work', '', idempotencyKey)) as Credential;
  if (who.known) return who.known;
  const quote_key = newKey('quote');
  await run('bench_quote', who.principal_key, who.account_key, quote_key, idempotencyKey);
  return { ...sample.quote_answer, quote_key };
}

async function pay(
  req: IncomingMessage,
  hash: string,
  job: string,
  idempotencyKey: string,
): Promise<{ status: number; body: unknown }> {
  const [who, row] = await Promise.all([run('bench_admit', hash, 'pay', job, idempotencyKey), run('bench_job', job)]);
  const { principal_key } = who as Credential;
  const { quote_key } = row as { quote_key: string };
  const signature = req.headers['payment-signature'];
  if (typeof signature !== 'string') {
    await run('bench_claim_payment', principal_key, job, idempotencyKey);
    return { status: 402, body: { x402Version: 2, resource: { url: req.url }, accepts: [offer] } };
  }
  const paymentPayload = JSON.parse(Buffer.from(signature, 'base64').toString());
  const payment = newKey('pay');
  const message = randomUUID();
  await post('/', { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: offer.asset, data: signature }] });
  await run('bench_intent', principal_key, job, payment, paymentPayload.payload.authorization.nonce);
  const settled = await post('/settle', { x402Version: 2, paymentPayload, paymentRequirements: offer });
  await post('/', { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [settled.transaction] });
  const answer = await run('bench_collect', principal_key, quote_key, job, payment, idempotencyKey, message);
  return { status: 200, body: { ...(answer as object), message } };
}

function newKey(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

function post(path: string, body: object): Promise<{ transaction: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(stub + path, { method: 'POST', agent: outgoing }, (answer) =>
      textOf(answer).then((text) => resolve(JSON.parse(text)), reject),
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

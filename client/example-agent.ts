/**
 * An agent that has never seen this service buys four checks. It reads what is sold, signs in with a wallet, gets a
 * frozen quote, authorizes it, pays over x402 with a stock client, follows the job, reads the report, accepts it and
 * verifies the signed receipt. Then it buys on the other chain, disputes the report and accepts the corrected one.
 * Where cards are taken it also registers for a customer and buys twice more: the customer pays the first by link, and
 * the agent charges the second to the card saved there. It knows one address, `BASE_URL`; its wallet comes from the
 * sandbox at `SANDBOX_URL`.
 */
import { randomUUID } from 'node:crypto';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { type PublishedKeys, type SignedReceipt, verifyReceipt } from './verify-receipt.ts';

const baseUrl = process.env.BASE_URL ?? 'http://localhost:3000';
const sandboxUrl = process.env.SANDBOX_URL ?? 'http://127.0.0.1:4010';
const networks = ['eip155:84532', 'eip155:421614'] as const;

interface NextAction {
  action: string;
  href: string;
  method: string;
}
interface Job {
  job_key: string;
  state: string;
  report_digest: string | null;
  next_actions: NextAction[];
}
interface Quote {
  quote_key: string;
  expires_at: string;
  price: { amount_microcents: number };
  next_actions: NextAction[];
}
interface Report {
  verdict: string;
  summary: string;
  report: { body: string };
  correction?: { changes: { criterion: string; before: string; after: string }[] };
}
interface Discovery {
  service: string;
  first_service: { contract: string; state: string };
  wallet: { challenge: string; verify: string };
  registration: { url: string };
}
interface Contract {
  price: { amount_microcents: number };
  terms: { terms_version: string };
  availability: { purchasable_rails: string[] };
  example_request: Record<string, unknown>;
}
/** How a job is paid for. */
type Pay = (job: Job) => Promise<Job>;

/** When the agent gives up waiting. The job continues without it. */
const patienceMs = 120_000;
const claimEveryMs = 1_000;

const say = (line = '') => process.stdout.write(`${line}\n`);
const usd = (microcents: number) => `${(microcents / 1e8).toFixed(2)} USD`;
let token = '';
let hasShown = false;

async function call<Answer>(method: string, url: string, body?: unknown, send: typeof fetch = fetch): Promise<Answer> {
  const response = await send(url.startsWith('http') ? url : baseUrl + url, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? { prefer: 'wait=10' } : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  const settled = response.headers.get('payment-response');
  if (settled) say(`   paid in transaction ${decodePaymentResponseHeader(settled).transaction}`);
  return answer as Answer;
}

/** The address of an action that the service allows now. */
function allowed(from: { next_actions: NextAction[] }, action: string): string {
  const found = from.next_actions.find((next) => next.action === action);
  if (!found) throw new Error(`${action} is not allowed now`);
  return found.href;
}

say('1. Read what is sold');
const discovery = await call<Discovery>('GET', '/.well-known/svc');
const contract = await call<Contract>('GET', discovery.first_service.contract);
say(`   ${discovery.service}, ${usd(contract.price.amount_microcents)}, ${discovery.first_service.state}`);

say('2. Sign in with a wallet');
const { private_key } = await call<{ private_key: `0x${string}` }>('POST', `${sandboxUrl}/wallets`, {});
const wallet = privateKeyToAccount(private_key);
const challenge = await call<{ challenge_key: string; message: string }>('POST', discovery.wallet.challenge, {
  address: wallet.address,
});
const session = await call<{ access_token: string }>('POST', discovery.wallet.verify, {
  challenge_key: challenge.challenge_key,
  signature: await wallet.signMessage({ message: challenge.message }),
});
token = session.access_token;
const me = await call<{ account_key: string; grant: { per_job_limit_microcents: number } }>('GET', '/api/agent/v1/me');
say(`   ${wallet.address}, may spend ${usd(me.grant.per_job_limit_microcents)} a job`);

for (const network of networks) {
  say();
  say(`Buying a check, paying on ${network}`);
  await buy((job) => payOver(network, job), { dispute: network !== networks[0] });
}
say();
say(`account ${me.account_key}`);
if (contract.availability.purchasable_rails.includes('card')) {
  say();
  say('Registering for a customer, to buy by card');
  await registerFor(`${randomUUID()}@example.com`);
  for (const method of ['card_checkout', 'card_saved'] as const) {
    say();
    say(`Buying a check, paying with ${method}`);
    await buy((job) => payByCard(method, job), { dispute: false });
  }
}

/** The customer confirms by a mailed link; until then there is nothing to claim. */
async function registerFor(email: string): Promise<void> {
  token = '';
  const asked = await call<{ registration_key: string; claim_token: string }>('POST', discovery.registration.url, {
    mode: 'new_customer',
    email,
    terms_version: contract.terms.terms_version,
    agent: { name: 'Example agent' },
    idempotency_key: randomUUID(),
  });
  say(`confirm ${email}`);
  const claim = `${discovery.registration.url}/${asked.registration_key}/claim`;
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const answer = await call<{ credential?: string }>('POST', claim, { claim_token: asked.claim_token });
    if (answer.credential) {
      token = answer.credential;
      say('   confirmed');
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, claimEveryMs));
  }
  throw new Error(`${email} did not confirm`);
}

/** The link works with and without signing in. A saved card needs no person. */
async function payByCard(method: 'card_checkout' | 'card_saved', job: Job): Promise<Job> {
  say(method === 'card_saved' ? '5. Pay with the saved card' : '5. Hand the payer a link');
  const body = { rail: 'card', method, idempotency_key: randomUUID() };
  const answer = await call<Job & { continuation_url?: string }>('POST', allowed(job, 'pay'), body);
  if (answer.continuation_url) say(`continue ${answer.continuation_url}`);
  return { ...job, ...answer, state: answer.state ?? job.state };
}

/** Stock clients cap a payment below this price, so the buyer sets the cap. */
async function payOver(network: (typeof networks)[number], job: Job): Promise<Job> {
  say('5. Pay with a stock x402 client');
  const client = new x402Client().register(network, new ExactEvmScheme(wallet));
  client.setSpendControls({ maxAmountPerPayment: '$5' });
  const body = { rail: 'x402', network, idempotency_key: randomUUID() };
  return call<Job>('POST', allowed(job, 'pay'), body, wrapFetchWithPayment(fetch, client) as typeof fetch);
}

async function buy(pay: Pay, { dispute }: { dispute: boolean }): Promise<void> {
  say('3. Get a frozen quote');
  const quote = await call<Quote>('POST', '/api/agent/v1/checks', {
    ...contract.example_request,
    max_price_microcents: contract.price.amount_microcents,
    idempotency_key: randomUUID(),
  });
  say(`   ${quote.quote_key}: ${usd(quote.price.amount_microcents)} until ${quote.expires_at}`);

  say('4. Authorize it');
  const job = await call<Job>('POST', allowed(quote, 'authorize'), { terms_version: contract.terms.terms_version });
  say(`   ${job.job_key} is ${job.state}`);

  const paid = await pay(job);
  say(`   ${paid.state}`);

  say('6. Follow the job');
  const delivered = await follow(paid);

  say('7. Read the report');
  const report = await call<Report>('GET', allowed(delivered, 'report'));
  say(`   ${report.verdict}: ${report.summary}`);
  // One report in full is enough to know them all.
  if (!hasShown) say(report.report.body.replaceAll(/^/gm, '   '));
  hasShown = true;

  const settled = dispute ? await disputed(delivered) : delivered;

  say('8. Accept it');
  const accepted = await call<Job>('POST', allowed(settled, 'review'), {
    decision: 'accept',
    report_digest: settled.report_digest,
  });
  if (accepted.state !== 'accepted') throw new Error(`the job is ${accepted.state}`);
  say('   the charge is final');

  say('9. Verify the receipt');
  const receipt = await call<SignedReceipt>('GET', allowed(accepted, 'receipt'));
  const { keyRevokedAt } = await verifyReceipt(receipt, await call<PublishedKeys>('GET', '/.well-known/jwks.json'));
  say(`   ${receipt.receipt_key} carries a good signature by ${receipt.signature.kid}`);
  if (keyRevokedAt !== null) say(`   that key was revoked later, at ${keyRevokedAt}`);
  say(`   report  ${baseUrl}/reports/${accepted.job_key}`);
  say(`   receipt ${baseUrl}/receipts/${accepted.job_key}`);
}

/** One re-check is included in the price. Its report lists the changes. */
async function disputed(delivered: Job): Promise<Job> {
  say('   … and dispute it: one re-check is included');
  const disputed = await call<Job>('POST', allowed(delivered, 'review'), {
    decision: 'dispute',
    reason: 'criteria_not_evaluated',
    detail: 'Please look again at who pays for the transport.',
    report_digest: delivered.report_digest,
  });
  say(`   ${disputed.state}`);
  const redelivered = await follow(disputed);
  const { verdict, correction } = await call<Report>('GET', allowed(redelivered, 'report'));
  const changes = correction?.changes.length ?? 0;
  say(`   ${verdict}: ${changes === 0 ? 'the re-check found the same' : `the re-check changed ${changes} findings`}`);
  return redelivered;
}

async function follow({ job_key: jobKey, state }: Job): Promise<Job> {
  const until = Date.now() + patienceMs;
  let seen = state;
  while (Date.now() < until) {
    const job = await call<Job>('GET', `/api/agent/v1/jobs/${jobKey}`);
    if (job.state !== seen) say(`   ${job.state}`);
    seen = job.state;
    if (job.state === 'delivered' || job.state === 'redelivered') return job;
    if (['failed', 'canceled', 'waived'].includes(job.state)) break;
  }
  throw new Error(`${jobKey} was not delivered`);
}

import { createHash, randomUUID } from 'node:crypto';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { canonicalJson } from '../server/kernel/json-value.ts';
import { price } from '../server/service/terms.ts';
import type { Bundle, CheckRequest, InputOf, OutputOf, Wallet } from './contract.ts';
import { type Options, Refused, Transport } from './transport.ts';

type Quote = OutputOf<'check_work'>;
type Job = OutputOf<'job'>;
/** A job to pay for, and where its payer pays by card. */
type Waiting = { job_key: string; continuation_url: string };

const microcentsPerUsd = 1e8;
const waitSeconds = 25;
/** A signature that expired unused is replaced so often. */
const signaturesMax = 3;
const credential = 'credential';
const ended = new Set(['failed', 'canceled', 'waived', 'accepted']);

/**
 * Buys work checks. Each request is kept before it is sent and each payment before it is presented, so that a lost
 * answer, a crash or a second call with the same request finds the same purchase and pays for it once.
 */
export class Buyer {
  readonly #transport: Transport;

  constructor(options: Options) {
    this.#transport = new Transport(options);
    this.#transport.token = (options.kept.read(credential) as { token: string } | undefined)?.token ?? null;
  }

  get isKnown(): boolean {
    return this.#transport.token !== null;
  }

  /** Signs in with a wallet. A lost answer costs one more challenge. */
  async signIn(wallet: Wallet): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const { challenge_key, message } = await this.#transport.call('wallet_challenge', { address: wallet.address });
      const signature = await wallet.signMessage({ message });
      const session = await this.#transport
        .call('wallet_verify', { challenge_key, signature })
        .catch((error: unknown) => {
          if (error instanceof Refused || tries >= 8) throw error;
          return null;
        });
      if (session) return this.#remember(session.access_token);
    }
  }

  /** Registers for a customer, who confirms by letter; resolves when the credential was fetched and used. */
  async register(
    input: Omit<InputOf<'register'>, 'idempotency_key'>,
    tell: (state: OutputOf<'register'>) => void,
  ): Promise<OutputOf<'me'>> {
    const asked = await this.#transport.keep('register', input as InputOf<'register'>, nameOf('register', input));
    tell(asked);
    const { registration_key, claim_token } = asked;
    for (;;) {
      const answer = await this.#transport.call('claim', { registration_key, claim_token });
      if ('credential' in answer && answer.credential) {
        this.#remember(answer.credential);
        return this.me();
      }
      await this.#transport.pause(5_000);
    }
  }

  me(): Promise<OutputOf<'me'>> {
    return this.#transport.call('me', {});
  }

  /** A frozen quote; the same request again is the same quote. `again` makes it another. */
  quote(request: CheckRequest, maxPrice: number, again = ''): Promise<Quote> {
    const input = { ...request, max_price_microcents: maxPrice };
    return this.#transport.keep('check_work', input as InputOf<'check_work'>, nameOf('quote', [input, again]));
  }

  authorize({ quote_key, terms_version }: Quote): Promise<OutputOf<'authorize'>> {
    return this.#transport.keep('authorize', { quote_key, terms_version }, `authorize-${quote_key}`);
  }

  /** Pays from the wallet. What was signed is kept before it is presented: a repeat presents the same. */
  async payByWallet(jobKey: string, wallet: Wallet): Promise<Job> {
    const { kept } = this.#transport;
    const as = `payment-${jobKey}`;
    const input = { job_key: jobKey, rail: 'x402' } as const;
    let payment = kept.read(as) as { key: string; signature: string } | undefined;
    for (let signatures = payment ? 1 : 0; ; signatures += 1) {
      const headers: Record<string, string> = payment ? { 'payment-signature': payment.signature } : {};
      const response = await this.#transport.send('pay', input, { key: payment?.key ?? randomUUID(), headers });
      const body = (await response.json()) as Record<string, unknown>;
      if (response.ok) return body as Job;
      const demand = response.headers.get('payment-required');
      if (response.status !== 402 || demand === null || signatures >= signaturesMax)
        throw new Refused(response.status, body);
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
      client.setSpendControls({ maxAmountPerPayment: `$${Number(price) / microcentsPerUsd}` });
      const signature = encodePaymentSignatureHeader(
        await client.createPaymentPayload(decodePaymentRequiredHeader(demand)),
      );
      payment = { key: randomUUID(), signature };
      kept.write(as, payment);
    }
  }

  /** Charges the saved card, or says where a person pays. */
  payByCard(jobKey: string): Promise<Job | Waiting> {
    return this.#transport.keep('pay', { job_key: jobKey, rail: 'card' }, `card-${jobKey}`) as Promise<Job | Waiting>;
  }

  /** Follows a job until its report is there or nothing more happens. */
  async follow(jobKey: string, tell: (job: Job) => void): Promise<Job> {
    let seen = '';
    for (;;) {
      const headers = seen === '' ? {} : { prefer: `wait=${waitSeconds}` };
      const job = await this.#transport.call('job', { job_key: jobKey }, { headers });
      if (job.state !== seen) tell(job);
      else await this.#transport.pause(500);
      seen = job.state;
      if (job.state === 'delivered' || job.state === 'redelivered' || ended.has(job.state)) return job;
    }
  }

  job(jobKey: string): Promise<Job> {
    return this.#transport.call('job', { job_key: jobKey });
  }

  report(jobKey: string, digest?: string): Promise<OutputOf<'report'>> {
    return this.#transport.call('report', { job_key: jobKey, ...(digest ? { report_digest: digest } : {}) });
  }

  review(input: InputOf<'review'>): Promise<Job> {
    return this.#transport.keep('review', input, nameOf('review', input));
  }

  receipt(jobKey: string): Promise<OutputOf<'receipt'>> {
    return this.#transport.call('receipt', { job_key: jobKey });
  }

  /** The purchase as `verify` reads it. Keep it: the service deletes content after a while. */
  async bundle(jobKey: string, request: CheckRequest): Promise<Omit<Bundle, 'retrieved'>> {
    const { quote_key } = await this.job(jobKey);
    const offer = await this.#transport.call('purchase', { quote_key });
    const chain = await this.#transport.call('receipt_chain', { job_key: jobKey });
    const reports = [];
    for (const digest of new Set(chain.receipts.flatMap(({ report_digest }) => report_digest ?? [])))
      reports.push(await this.report(jobKey, digest));
    return { bundle_version: '1', offer, request, reports, ...chain };
  }

  #remember(token: string): void {
    this.#transport.token = token;
    this.#transport.kept.write(credential, { token });
  }
}

/** The same input has the same name. */
function nameOf(what: string, input: unknown): string {
  return `${what}-${createHash('sha256').update(canonicalJson(input)).digest('hex').slice(0, 32)}`;
}

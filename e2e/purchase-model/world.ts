import { randomBytes, randomUUID } from 'node:crypto';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { getAddress } from 'viem';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import { type Database, queriesOn } from '../../server/kernel/database.ts';
import { transact } from '../../server/kernel/transaction.ts';
import { waiveCharge } from '../../server/purchases/review/waive.ts';
import { executeJob } from '../../server/purchases/work/execute.ts';
import { seconds } from '../../server/service/terms.ts';
import { embeddedAssessor } from '../../server/work-check/assessors/embedded.ts';
import { checkWork } from '../../server/work-check/check.ts';
import type { Checker } from '../../server/work-check/checker.ts';
import { Agent, type Answer } from '../support/agent.ts';
import { Member } from '../support/member.ts';
import type { Service } from '../support/service.ts';
import { type Model, type ProviderMode, type Purchase, seen } from './model.ts';
import { actionsOn, type WayToPay, waysToPay } from './refusals.ts';

/** What happens to a worker's job: it delivers, its process dies, or the check crashes. */
export type WorkerFate = 'delivers' | 'dies' | 'breaks';

const networks = ['eip155:84532', 'eip155:421614'] as const;

/** The service and everyone who deals with it, as one run of the model sees them. */
export class World {
  readonly service: Service;
  readonly agent: Agent;
  member: Member;
  /** When the member signed in. */
  memberSince: number;
  readonly #control;
  #signedInUntil: number;

  private constructor(service: Service, agent: Agent, member: Member) {
    this.service = service;
    this.agent = agent;
    this.member = member;
    this.#control = controlClient(service.sandbox.controlUrl);
    this.memberSince = this.now();
    this.#signedInUntil = this.memberSince + seconds.walletSession * 1000;
  }

  static async open(service: Service): Promise<World> {
    const agent = await Agent.arrive(service);
    const world = new World(service, agent, await Member.of(service, agent));
    await world.provider('well');
    return world;
  }

  now = (): number => this.service.runtime.clock().getTime();

  /** Time passes, for the service, the chains and the card provider. Reopens the sessions that expired with it. */
  async pass(wait: number): Promise<void> {
    this.service.advanceClock(wait);
    await Promise.all([
      ...networks.map((network) => this.#control.chainFault(network, { mode: 'advance_time', seconds: wait })),
      this.#control.stripe.advance(wait),
    ]);
    if (this.now() + 60_000 < this.#signedInUntil) return;
    await this.#signIn();
  }

  async #signIn(): Promise<void> {
    await this.agent.signIn();
    await this.signInMember();
    this.#signedInUntil = this.now() + seconds.walletSession * 1000;
  }

  async signInMember(): Promise<void> {
    this.member = await Member.ofAccount(this.service, this.member.accountKey, this.member.email);
    this.memberSince = this.now();
  }

  /** A member's decision about the agent. */
  decide(what: 'grant' | 'pause', body: object): Promise<Answer> {
    return this.member.post(`/api/agent/v1/agents/${this.agent.wallet.address.toLowerCase()}/${what}`, body);
  }

  async provider(mode: ProviderMode): Promise<void> {
    await this.#control.clearFacilitatorFaults();
    if (mode !== 'well') await this.#control.facilitatorFault({ mode, times: 'always' });
  }

  /** A signed transfer for this job, valid for two minutes of the service's clock. */
  async sign(
    jobKey: string,
    network: 0 | 1,
    agent: Agent = this.agent,
  ): Promise<{ header: string; validBefore: number }> {
    const unpaid = await agent.pay(jobKey, { network: networks[network] });
    const { resource, accepts } = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
    const accepted = accepts[0];
    if (!accepted) throw new Error('the 402 asks for nothing');
    const validBefore = Math.floor(this.now() / 1000) + accepted.maxTimeoutSeconds;
    const message = {
      from: agent.wallet.address,
      to: getAddress(accepted.payTo),
      value: BigInt(accepted.amount),
      validAfter: 0n,
      validBefore: BigInt(validBefore),
      nonce: `0x${randomBytes(32).toString('hex')}` as const,
    };
    const signature = await agent.wallet.signTypedData({
      domain: {
        name: String(accepted.extra?.name),
        version: String(accepted.extra?.version),
        chainId: Number(accepted.network.slice('eip155:'.length)),
        verifyingContract: getAddress(accepted.asset),
      },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    });
    const authorization = { ...message, value: accepted.amount, validAfter: '0', validBefore: String(validBefore) };
    const header = encodePaymentSignatureHeader({
      x402Version: 2,
      resource,
      accepted,
      payload: { signature, authorization },
    });
    return { header, validBefore: validBefore * 1000 };
  }

  /** A worker takes the job from the queue. If it dies, its database connection is cut. */
  async work(jobKey: string, fate: WorkerFate): Promise<void> {
    const { runtime } = this.service;
    const process = { alive: true };
    const checker: Checker = {
      async check(request, options) {
        process.alive = fate !== 'dies';
        if (fate !== 'delivers') throw new Error('the worker broke');
        return checkWork(request, { ...options, assessor: embeddedAssessor });
      },
      close: async () => {},
    };
    const dying = executeJob({ ...runtime, db: databaseOf(runtime.db, process) }, checker, jobKey);
    await dying.catch((error) => {
      if (fate !== 'dies') throw error;
    });
  }

  /** An operator waives the charge. */
  async waive(jobKey: string, transition: 'waive' | 'refund' = 'waive'): Promise<void> {
    const { runtime } = this.service;
    await transact(runtime.db, (tx) =>
      waiveCharge(
        tx,
        runtime,
        { transition, jobKey, actor: 'operator', now: runtime.clock() },
        { review_state: 'not_open' },
      ),
    );
  }

  /** Reads the purchase again: it and its listed actions must match the model. */
  async observe(model: Model, purchase: Purchase): Promise<void> {
    if (purchase.jobKey !== null) return this.compare(model, purchase, await this.agent.job(purchase.jobKey));
    const { body } = await this.agent.get(`/api/agent/v1/purchases/${purchase.quoteKey}`);
    expect(namesOf(body.next_actions)).toEqual(actionsOn(model, purchase, 'agent'));
  }

  /** The purchase just read must match the model. */
  compare(model: Model, purchase: Purchase, { status, body }: Answer): void {
    expect(status).toBe(200);
    expect(standingOf(body)).toEqual(seen(purchase, model.now()));
    // Progress only grows; a stopped job has none.
    const hasStopped = ['failed', 'canceled'].includes(body.state);
    if (hasStopped) expect(body.progress.percent).toBe(0);
    else expect(body.progress.percent).toBeGreaterThanOrEqual(purchase.percent);
    purchase.percent = body.progress.percent;
    purchase.reportDigest = body.report_digest;
    purchase.nextActions = namesOf(body.next_actions);
    expect(purchase.nextActions).toEqual(actionsOn(model, purchase, 'agent'));
    expect(waysListed(body.next_actions)).toEqual(waysToPay(model, purchase));
  }

  async observeAll(model: Model): Promise<void> {
    for (const purchase of model.purchases) await this.observe(model, purchase);
  }

  /** Every job as read now, by key. */
  async look(model: Model): Promise<Map<string, Answer>> {
    const found = new Map<string, Answer>();
    for (const { jobKey } of model.purchases) {
      if (jobKey !== null) found.set(jobKey, await this.agent.job(jobKey));
    }
    return found;
  }

  /** Sends a POST with a new key, and keeps it for repeating. */
  async keyed(model: Model, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    const key = randomUUID();
    const { agent } = this;
    const send = () => agent.post(path, body, { 'idempotency-key': key, ...headers });
    const answer = await send();
    model.last = { send, answer };
    return answer;
  }
}

/** The actions in a list. */
export const namesOf = (actions: { action: string }[]): string[] => actions.map(({ action }) => action);

/** The methods in the bodies of a listed payment. */
function waysListed(actions: { action: string; body?: PayBody; bodies?: PayBody[] }[]): WayToPay[] {
  const pay = actions.find(({ action }) => action === 'pay');
  return [pay?.body, ...(pay?.bodies ?? [])].flatMap((body) => (body ? [body.method ?? body.rail] : []));
}

type PayBody = { rail: 'x402'; method?: 'wallet_credit' };

/** The state of a job: everything the service says about it. */
export function standingOf({ state, payment_state, charge_state, review_state }: Answer['body']): object {
  return { state, payment_state, charge_state, review_state };
}

/** The database as a living process reaches it. */
function databaseOf(db: Database, process: { alive: boolean }): Database {
  const reach = <T>(work: () => Promise<T>): Promise<T> =>
    process.alive ? work() : Promise.reject(new Error('the process has died'));
  const pool = new Proxy(db.pool, {
    get: (target, name) =>
      name === 'connect' ? () => reach(() => target.connect()) : Reflect.get(target, name, target),
  });
  return {
    ...db,
    ...queriesOn(({ name, text, values }) => reach(() => db.pool.query({ name, text, values: [...values] }))),
    pool,
  };
}

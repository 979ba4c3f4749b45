import { expect } from 'vitest';
import { can } from '../../server/purchases/states.ts';
import { price, service } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import type { Answer } from '../support/agent.ts';
import { type Command, pathOf, pick, refusal, Step } from './command.ts';
import {
  collected,
  credited,
  due,
  go,
  hasRoom,
  isOpen,
  lapsed,
  type Model,
  newPurchase,
  type Purchase,
  waived,
  wouldMove,
} from './model.ts';
import { actionsOn, authorizeRefusal, notAllowed, outsideGrant, payRefusal, unknown } from './refusals.ts';
import { namesOf, type World } from './world.ts';

/** Purchases per run: below the agent's daily limit, so that time and credit decide, not the limit. */
const purchasesMax = 8;

/** The agent asks for a quote. */
export class Quote implements Command {
  /** Which governed documents the check names, if any. */
  readonly source: number | null;
  constructor(source: number | null = null) {
    this.source = source;
  }
  check(model: Readonly<Model>): boolean {
    return model.purchases.length < purchasesMax;
  }
  async run(model: Model, world: World): Promise<void> {
    const { grant, sourceKeys } = model;
    const { source } = this;
    const sourceKey = source === null ? null : (sourceKeys[source % sourceKeys.length] ?? 'source_unknown');
    const answer = await world.keyed(model, '/api/agent/v1/checks', {
      ...exampleRequest,
      ...(sourceKey ? { context: { refs: [sourceKey] } } : {}),
      max_price_microcents: Number(price),
    });
    if (grant.paused || (sourceKey && !grant.governedRefs)) expect(refusal(answer)).toEqual(outsideGrant);
    else if (sourceKey && !sourceKeys.includes(sourceKey)) expect(refusal(answer)).toEqual([409, 'source_unavailable']);
    else {
      expect(answer.status).toBe(201);
      const purchase = newPurchase(answer.body.quote_key, Date.parse(answer.body.expires_at), sourceKey);
      expect(namesOf(answer.body.next_actions)).toEqual(actionsOn(model, purchase, 'agent'));
      model.purchases.push(purchase);
    }
  }
  toString = () => `Quote(${this.source})`;
}

/** The agent accepts a quote, or repeats that. */
export class Authorize implements Command {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
  check(model: Readonly<Model>): boolean {
    return model.purchases.length > 0;
  }
  async run(model: Model, world: World): Promise<void> {
    const purchase = pick(model, this.index);
    if (!purchase) return;
    await world.observe(model, purchase);
    const path = `/api/agent/v1/purchases/${purchase.quoteKey}/authorize`;
    const answer = await world.keyed(model, path, { terms_version: service.termsVersion });
    const refused = authorizeRefusal(model, purchase);
    if (model.grant.paused) expect(refusal(answer)).toEqual(outsideGrant);
    else if (purchase.jobKey) expect([answer.status, answer.body.job_key]).toEqual([200, purchase.jobKey]);
    else if (refused) expect(refusal(answer)).toEqual(refused);
    else {
      expect(answer.status).toBe(201);
      purchase.jobKey = answer.body.job_key;
      purchase.authorizedOn = answer.body.created_at.slice(0, 10);
      purchase.creditOnly = !hasRoom(model);
      purchase.counts = !purchase.creditOnly;
      expect(answer.body.payable_by).toEqual(purchase.creditOnly ? ['wallet_credit'] : ['x402', 'wallet_credit']);
      purchase.payBy = Date.parse(answer.body.deadlines.pay_by);
    }
    await world.observe(model, purchase);
  }
  toString = () => `Authorize(${this.index})`;
}

/** A quote that is accepted at once. */
export class Begin extends Quote {
  override async run(model: Model, world: World): Promise<void> {
    const before = model.purchases.length;
    await super.run(model, world);
    if (model.purchases.length > before) await new Authorize(0).run(model, world);
  }
  override toString = () => `Begin(${this.source})`;
}

/** The agent signs a transfer and presents it. */
export class Pay extends Step<Answer> {
  override matters(purchase: Purchase): boolean {
    return can('collect', purchase.state);
  }

  readonly network: 0 | 1;
  #signed: Omit<NonNullable<Purchase['transfer']>, 'moved'> | null = null;
  constructor(index: number, network: 0 | 1) {
    super(index);
    this.network = network;
  }
  async ready(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<() => Promise<Answer>> {
    const signed = payRefusal(model, purchase, 'x402') ? null : await world.sign(jobKey, this.network);
    this.#signed = signed;
    return () => present(model, world, purchase, signed?.header);
  }
  explain(model: Model, purchase: Purchase, answer: Answer): void {
    const expected = payRefusal(model, purchase, 'x402');
    if (expected) expect(refusal(answer)).toEqual(expected);
    else if (!this.#signed) expect(answer.status).toBe(402);
    else {
      purchase.transfer = { ...this.#signed, moved: false };
      settled(model, purchase, answer);
    }
  }
}

const present = (model: Model, world: World, purchase: Purchase, header: string | undefined): Promise<Answer> =>
  world.keyed(model, `${pathOf(purchase)}/payments`, { rail: 'x402' }, header ? { 'payment-signature': header } : {});

/** The effects of the answer to a transfer that the facilitator was asked to execute. */
function settled(model: Model, purchase: Purchase, answer: Answer): void {
  if (wouldMove(model.provider)) {
    expect(answer.status).toBe(200);
    if (purchase.transfer) purchase.transfer.moved = true;
    collected(model, purchase, 'x402');
  } else {
    expect(refusal(answer)).toEqual(unknown);
    purchase.payment = 'unknown';
  }
}

/** The buyer presents an earlier transfer again, under a new key. */
export class PayAgain extends Step<Answer> {
  override matters({ transfer }: Purchase): boolean {
    return transfer !== null;
  }

  async ready(model: Model, world: World, purchase: Purchase): Promise<() => Promise<Answer>> {
    return () => present(model, world, purchase, purchase.transfer?.header);
  }
  explain(model: Model, purchase: Purchase, answer: Answer): void {
    const { transfer } = purchase;
    if (!transfer) return;
    if (model.grant.paused || !model.grant.paysWithX402) expect(refusal(answer)).toEqual(outsideGrant);
    else if (transfer.moved) expect([answer.status, answer.body.job_key]).toEqual([200, purchase.jobKey]);
    else if (!isOpen(purchase)) expect(refusal(answer)).toEqual(notAllowed);
    else if (answer.body.code === 'payment_unknown') purchase.payment = 'unknown';
    else if (answer.status === 409) lapsed(model, purchase, transfer);
    else settled(model, purchase, answer);
  }
}

/** The agent pays from its credit. */
export class PayWithCredit extends Step<Answer> {
  override matters(purchase: Purchase): boolean {
    return can('collect', purchase.state);
  }

  async ready(model: Model, world: World, purchase: Purchase): Promise<() => Promise<Answer>> {
    return () => world.keyed(model, `${pathOf(purchase)}/payments`, { rail: 'x402', method: 'wallet_credit' });
  }
  explain(model: Model, purchase: Purchase, answer: Answer): void {
    const expected = payRefusal(model, purchase, 'wallet_credit') ?? (model.creditJobs === 0 ? notAllowed : null);
    if (expected) expect(refusal(answer)).toEqual(expected);
    else {
      expect(answer.status).toBe(200);
      collected(model, purchase, 'wallet_credit');
    }
  }
}

/** The agent tries to end an open payment. */
export class CancelPayment extends Step<Answer> {
  override matters(purchase: Purchase): boolean {
    return isOpen(purchase);
  }

  async ready(model: Model, world: World, purchase: Purchase): Promise<() => Promise<Answer>> {
    return () => world.keyed(model, `${pathOf(purchase)}/payments/cancel`, {});
  }
  explain(model: Model, purchase: Purchase, answer: Answer): void {
    const isListed = actionsOn(model, purchase, 'agent').includes('cancel_payment');
    if (!isOpen(purchase)) expect(refusal(answer)).toEqual(notAllowed);
    // The chain may know that it ended slightly before the service can be sure.
    else if (purchase.transfer && (isListed || answer.status === 200)) {
      expect(answer.status).toBe(200);
      lapsed(model, purchase, purchase.transfer);
    } else expect(refusal(answer)).toEqual(unknown);
  }
}

/** The agent cancels the job. */
export class Cancel extends Step<Answer> {
  override matters(purchase: Purchase): boolean {
    return can('cancel', purchase.state);
  }

  async ready(model: Model, world: World, purchase: Purchase): Promise<() => Promise<Answer>> {
    return () => world.keyed(model, `${pathOf(purchase)}/cancel`, {});
  }
  explain(model: Model, purchase: Purchase, answer: Answer): void {
    if (purchase.state === 'canceled') expect(answer.status).toBe(200);
    else if (isOpen(purchase)) expect(refusal(answer)).toEqual(unknown);
    else if (!can('cancel', purchase.state)) expect(refusal(answer)).toEqual(notAllowed);
    else {
      expect(answer.status).toBe(200);
      go(purchase, 'cancel');
      if (purchase.payment === 'collected') credited(model, purchase);
    }
  }
}

/** The agent, or a member of its account, reviews the newest report. */
export class Review extends Step<Answer> {
  override matters(purchase: Purchase): boolean {
    return purchase.reportDigest !== null;
  }

  readonly decision: 'accept' | 'dispute';
  readonly by: 'agent' | 'member';
  /** The digest of the reviewed report. */
  #digest: string | null = null;
  constructor(index: number, decision: 'accept' | 'dispute', by: 'agent' | 'member') {
    super(index);
    this.decision = decision;
    this.by = by;
  }
  async ready(_model: Model, world: World, purchase: Purchase): Promise<() => Promise<Answer>> {
    const { decision } = this;
    this.#digest = purchase.reportDigest;
    const body = {
      decision,
      ...(decision === 'dispute' ? { reason: 'citation_invalid' } : {}),
      ...(this.#digest ? { report_digest: this.#digest } : {}),
    };
    return () => world[this.by].post(`${pathOf(purchase)}/review`, body);
  }
  explain(model: Model, purchase: Purchase, answer: Answer): void {
    const { decision } = this;
    const repeats = decision === 'accept' ? purchase.state === 'accepted' : purchase.review === 'disputed';
    const overdue = decision === 'dispute' && model.now() > purchase.reviewBy;
    const isOfOlder = this.#digest !== null && this.#digest !== purchase.reportDigest;
    if (this.by === 'agent' && !model.grant.mayReview) expect(refusal(answer)).toEqual(outsideGrant);
    else if (isOfOlder) expect(refusal(answer)).toEqual([409, 'report_changed']);
    else if (repeats) expect(answer.status).toBe(200);
    else if (!can('accept', purchase.state)) expect(refusal(answer)).toEqual(notAllowed);
    else if (this.by === 'agent' && decision === 'accept' && model.grant.paused) {
      expect(refusal(answer)).toEqual(outsideGrant);
    } else if (overdue) expect(refusal(answer)).toEqual([409, 'dispute_window_closed']);
    else {
      expect(answer.status).toBe(200);
      this.decided(model, purchase);
    }
  }
  private decided(model: Model, purchase: Purchase): void {
    if (this.decision === 'accept') go(purchase, 'accept');
    else if (can('dispute', purchase.state)) {
      go(purchase, 'dispute');
      due(model, purchase);
    } else waived(model, purchase, 'dispute_again');
  }
}

/** The last request arrives once more. */
export class Repeat implements Command {
  check(model: Readonly<Model>): boolean {
    return model.last !== null;
  }
  async run(model: Model): Promise<void> {
    if (!model.last) return;
    const { send, answer } = model.last;
    const isKept = answer.status < 300 || answer.status === 400 || answer.status === 422;
    if (!isKept) return;
    const again = await send();
    expect([again.status, again.text]).toEqual([answer.status, answer.text]);
  }
  toString = () => 'Repeat()';
}

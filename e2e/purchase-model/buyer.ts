import { expect } from 'vitest';
import { can } from '../../server/purchases/states.ts';
import { price, service } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import type { Answer } from '../support/agent.ts';
import { type Command, OnJob, pathOf, pick, refusal } from './command.ts';
import {
  collected,
  credited,
  due,
  go,
  isOpen,
  lapsed,
  type Model,
  newPurchase,
  type Purchase,
  waived,
  wouldMove,
} from './model.ts';
import type { World } from './world.ts';

/** Purchases of one run: fewer than the agent's daily limit, so that time and credit decide, not the limit. */
const purchasesMax = 8;

/** The agent asks what a check costs. */
export class Quote implements Command {
  check(model: Readonly<Model>): boolean {
    return model.purchases.length < purchasesMax;
  }
  async run(model: Model, world: World): Promise<void> {
    const answer = await world.keyed(model, '/api/agent/v1/checks', {
      ...exampleRequest,
      max_price_microcents: Number(price),
    });
    expect(answer.status).toBe(201);
    model.purchases.push(newPurchase(answer.body.quote_key, Date.parse(answer.body.expires_at)));
  }
  toString = () => 'Quote()';
}

/** The agent accepts a quote, or accepts it again. */
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
    const path = `/api/agent/v1/purchases/${purchase.quoteKey}/authorize`;
    const answer = await world.keyed(model, path, { terms_version: service.termsVersion });
    if (purchase.jobKey) expect([answer.status, answer.body.job_key]).toEqual([200, purchase.jobKey]);
    else if (model.now() >= purchase.quotedUntil) expect(refusal(answer)).toEqual([409, 'quote_expired']);
    else {
      expect(answer.status).toBe(201);
      purchase.jobKey = answer.body.job_key;
      purchase.payBy = Date.parse(answer.body.deadlines.pay_by);
    }
    await world.observe(model, purchase);
  }
  toString = () => `Authorize(${this.index})`;
}

/** A quote that is accepted at once. */
export class Begin extends Quote {
  override async run(model: Model, world: World): Promise<void> {
    await super.run(model, world);
    await new Authorize(0).run(model, world);
  }
  override toString = () => 'Begin()';
}

/** The agent signs a transfer and presents it. */
export class Pay extends OnJob {
  override matters(purchase: Purchase): boolean {
    return can('collect', purchase.state);
  }

  readonly network: 0 | 1;
  constructor(index: number, network: 0 | 1) {
    super(index);
    this.network = network;
  }
  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<Answer> {
    if (isOpen(purchase) || !can('collect', purchase.state)) {
      const answer = await world.keyed(model, `${pathOf(purchase)}/payments`, { rail: 'x402' });
      expect(refusal(answer)).toEqual([409, isOpen(purchase) ? 'payment_unknown' : 'action_not_allowed']);
      return answer;
    }
    const signed = await world.sign(jobKey, this.network);
    const answer = await present(model, world, purchase, signed.header);
    purchase.transfer = { ...signed, moved: false };
    settled(model, purchase, answer);
    return answer;
  }
}

const present = (model: Model, world: World, purchase: Purchase, header: string): Promise<Answer> =>
  world.keyed(model, `${pathOf(purchase)}/payments`, { rail: 'x402' }, { 'payment-signature': header });

/** What follows from an answer to a transfer that the facilitator was asked to carry out. */
function settled(model: Model, purchase: Purchase, answer: Answer): void {
  if (wouldMove(model.provider)) {
    expect(answer.status).toBe(200);
    if (purchase.transfer) purchase.transfer.moved = true;
    collected(model, purchase, 'x402');
  } else {
    expect(refusal(answer)).toEqual([409, 'payment_unknown']);
    purchase.payment = 'unknown';
  }
}

/** The buyer presents the transfer again that it has presented before, under a new key. */
export class PayAgain extends OnJob {
  override matters({ transfer }: Purchase): boolean {
    return transfer !== null;
  }

  async act(model: Model, world: World, purchase: Purchase): Promise<void> {
    const { transfer } = purchase;
    if (!transfer) return;
    const answer = await present(model, world, purchase, transfer.header);
    if (transfer.moved) expect([answer.status, answer.body.job_key]).toEqual([200, purchase.jobKey]);
    else if (!isOpen(purchase)) expect(refusal(answer)).toEqual([409, 'action_not_allowed']);
    else if (answer.body.code === 'payment_unknown') purchase.payment = 'unknown';
    else if (answer.status === 409) lapsed(model, purchase, transfer);
    else settled(model, purchase, answer);
  }
}

/** The agent pays out of its credit. */
export class PayWithCredit extends OnJob {
  override matters(purchase: Purchase): boolean {
    return can('collect', purchase.state);
  }

  async act(model: Model, world: World, purchase: Purchase): Promise<void> {
    const answer = await world.keyed(model, `${pathOf(purchase)}/payments`, { rail: 'x402', method: 'wallet_credit' });
    if (isOpen(purchase)) expect(refusal(answer)).toEqual([409, 'payment_unknown']);
    else if (!can('collect', purchase.state) || model.creditJobs === 0) {
      expect(refusal(answer)).toEqual([409, 'action_not_allowed']);
    } else {
      expect(answer.status).toBe(200);
      collected(model, purchase, 'wallet_credit');
    }
  }
}

/** The agent asks to end a payment that is open. */
export class CancelPayment extends OnJob {
  override matters(purchase: Purchase): boolean {
    return isOpen(purchase);
  }

  async act(model: Model, world: World, purchase: Purchase): Promise<void> {
    const answer = await world.keyed(model, `${pathOf(purchase)}/payments/cancel`, {});
    if (!isOpen(purchase)) expect(refusal(answer)).toEqual([409, 'action_not_allowed']);
    else if (answer.status === 200 && purchase.transfer) lapsed(model, purchase, purchase.transfer);
    else expect(refusal(answer)).toEqual([409, 'payment_unknown']);
  }
}

/** The agent cancels the job. */
export class Cancel extends OnJob {
  override matters(purchase: Purchase): boolean {
    return can('cancel', purchase.state);
  }

  async act(model: Model, world: World, purchase: Purchase): Promise<Answer> {
    const answer = await world.keyed(model, `${pathOf(purchase)}/cancel`, {});
    if (purchase.state === 'canceled') expect(answer.status).toBe(200);
    else if (isOpen(purchase)) expect(refusal(answer)).toEqual([409, 'payment_unknown']);
    else if (!can('cancel', purchase.state)) expect(refusal(answer)).toEqual([409, 'action_not_allowed']);
    else {
      expect(answer.status).toBe(200);
      go(purchase, 'cancel');
      if (purchase.payment === 'collected') credited(model, purchase);
    }
    return answer;
  }
}

/** The agent, or a member of its account, decides on the newest report. */
export class Review extends OnJob {
  override matters(purchase: Purchase): boolean {
    return purchase.reportDigest !== null;
  }

  readonly decision: 'accept' | 'dispute';
  readonly by: 'agent' | 'member';
  constructor(index: number, decision: 'accept' | 'dispute', by: 'agent' | 'member') {
    super(index);
    this.decision = decision;
    this.by = by;
  }
  async act(model: Model, world: World, purchase: Purchase): Promise<Answer> {
    const { decision } = this;
    const answer = await world[this.by].post(`${pathOf(purchase)}/review`, {
      decision,
      ...(decision === 'dispute' ? { reason: 'citation_invalid' } : {}),
      ...(purchase.reportDigest ? { report_digest: purchase.reportDigest } : {}),
    });
    const repeats = decision === 'accept' ? purchase.state === 'accepted' : purchase.review === 'disputed';
    const overdue = decision === 'dispute' && model.now() > purchase.reviewBy;
    if (repeats) expect(answer.status).toBe(200);
    else if (!can('accept', purchase.state)) expect(refusal(answer)).toEqual([409, 'action_not_allowed']);
    else if (overdue) expect(refusal(answer)).toEqual([409, 'dispute_window_closed']);
    else {
      expect(answer.status).toBe(200);
      this.decided(model, purchase);
    }
    return answer;
  }
  private decided(model: Model, purchase: Purchase): void {
    if (this.decision === 'accept') go(purchase, 'accept');
    else if (can('dispute', purchase.state)) {
      go(purchase, 'dispute');
      due(model, purchase);
    } else waived(model, purchase, 'dispute_again');
  }
}

/** The request that was sent last arrives once more. */
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

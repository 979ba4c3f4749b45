import { expect } from 'vitest';
import { leaseSeconds } from '../../server/kernel/lease.ts';
import { deleteExpired } from '../../server/purchases/rounds/retention.ts';
import { can, isEnded, type JobState } from '../../server/purchases/states.ts';
import { daySeconds, seconds } from '../../server/service/terms.ts';
import { type Command, OnJob, pathOf, refusal, Step } from './command.ts';
import {
  cancelUnpaid,
  collected,
  delivered,
  failed,
  go,
  hasSources,
  isOpen,
  lapsed,
  type Model,
  type ProviderMode,
  type Purchase,
  waived,
  wouldMove,
} from './model.ts';
import type { WorkerFate, World } from './world.ts';

/** How often workers try a job for one report, and how long one holds it without a sign of life. */
const maxTries = 3;
const leaseMs = leaseSeconds * 1000;

/** Longer than submitted content is kept. */
const retentionSeconds = seconds.retention + daySeconds;

/** The queue hands a worker the job, whether or not there is anything to do. */
export class Work extends Step {
  readonly fate: WorkerFate;
  constructor(index: number, fate: WorkerFate) {
    super(index);
    this.fate = fate;
  }
  override matters({ state }: Purchase): boolean {
    return can('start', state) || can('recheck', state);
  }
  async ready(_model: Model, world: World, _purchase: Purchase, jobKey: string): Promise<() => Promise<null>> {
    return async () => {
      await world.work(jobKey, this.fate);
      return null;
    };
  }
  explain(model: Model, purchase: Purchase): void {
    const free = model.now() >= purchase.leaseUntil;
    if (!free || !(can('start', purchase.state) || can('recheck', purchase.state))) return;
    go(purchase, can('recheck', purchase.state) ? 'recheck' : 'start');
    purchase.tries += 1;
    purchase.percent = 0;
    purchase.leaseUntil = model.now() + leaseMs;
    const isWorkable = !purchase.contentDeleted && hasSources(model, purchase);
    const isLate = model.now() > purchase.deliverBy;
    if (isLate || purchase.tries > maxTries || !isWorkable || this.fate === 'breaks') failed(model, purchase);
    else if (this.fate === 'delivers') delivered(model, purchase);
  }
}

/** A worker round: deadlines, open payments, refunds. */
export class Sweep implements Command {
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    await world.service.sweep();
    const found = await world.look(model);
    const answers = model.purchases.flatMap((purchase) => {
      const answer = found.get(purchase.jobKey ?? '');
      return answer ? [{ purchase, answer }] : [];
    });
    for (const { purchase, answer } of answers) swept(model, purchase, answer.body);
    // Credit from one of them can pay for another: compare once the model has seen all.
    for (const { purchase, answer } of answers) world.compare(model, purchase, answer);
  }
  toString = () => 'Sweep()';
}

/** What a sweep must do to a purchase; if it may or may not act yet, its action decides. */
function swept(model: Model, purchase: Purchase, found: { state: JobState; payment_state: string }): void {
  const now = model.now();
  if (purchase.state === 'canceled' && purchase.paidWith === null) purchase.counts = false;
  if (isOpen(purchase)) reconciled(model, purchase, found);
  else if ((can('fail', purchase.state) || can('fail_recheck', purchase.state)) && now > purchase.deliverBy) {
    failed(model, purchase);
  }
  if (purchase.payment === 'refund_pending' && found.payment_state === 'refunded') {
    expect(wouldMove(model.provider)).toBe(true);
    purchase.payment = 'refunded';
    purchase.counts = false;
  }
}

/** An open payment is decided, or still open: then the next round is due soon. */
function reconciled(model: Model, purchase: Purchase, found: { payment_state: string }): void {
  const { transfer } = purchase;
  if (!transfer) throw new Error('a payment is open that nobody signed');
  if (found.payment_state === 'collected') {
    expect(transfer.moved || wouldMove(model.provider)).toBe(true);
    transfer.moved = true;
    collected(model, purchase, 'x402');
  } else if (found.payment_state === 'none') lapsed(model, purchase, transfer);
}

/** Time passes, for the service and the chains. */
export class Pass implements Command {
  readonly seconds: number;
  constructor(seconds: number) {
    this.seconds = seconds;
  }
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    await world.pass(this.seconds);
    cancelUnpaid(model);
    for (const purchase of model.purchases) await world.observe(model, purchase);
  }
  toString = () => `Pass(${this.seconds})`;
}

/** The facilitator switches its fault. */
export class Provider implements Command {
  readonly mode: ProviderMode;
  constructor(mode: ProviderMode) {
    this.mode = mode;
  }
  check(model: Readonly<Model>): boolean {
    return model.provider !== this.mode;
  }
  async run(model: Model, world: World): Promise<void> {
    await world.provider(this.mode);
    model.provider = this.mode;
  }
  toString = () => `Provider(${this.mode})`;
}

/** An operator waives the charge. */
export class Waive extends OnJob {
  override matters(purchase: Purchase): boolean {
    return can('waive', purchase.state);
  }

  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<void> {
    await world.waive(jobKey);
    waived(model, purchase, 'waive', 'not_open');
  }
}

/** An operator refunds an accepted charge, while its payment stands. */
export class Refund extends OnJob {
  override matters(purchase: Purchase): boolean {
    return can('refund', purchase.state) && purchase.payment === 'collected';
  }

  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<void> {
    await world.waive(jobKey, 'refund');
    waived(model, purchase, 'refund', 'not_open');
  }
}

/** The customer deletes the submitted content once nothing can need it, and again without effect. */
export class DeleteContent extends OnJob {
  readonly by: 'agent' | 'member';
  constructor(index: number, by: 'agent' | 'member') {
    super(index);
    this.by = by;
  }
  async act(_model: Model, world: World, purchase: Purchase): Promise<void> {
    const answer = await world[this.by].send('DELETE', `${pathOf(purchase)}/content`);
    if (isEnded(purchase.state)) expect(answer.status).toBe(200);
    else expect(refusal(answer)).toEqual([409, 'action_not_allowed']);
  }
}

/** Quotes that came to nothing go in the end; those with a job stay. */
async function forgetPruned(model: Model, world: World): Promise<void> {
  const { rows } = await world.service.database.pool.query<{ quote_key: string }>('select quote_key from quotes');
  const kept = new Set(rows.map(({ quote_key }) => quote_key));
  for (const purchase of [...model.purchases]) {
    if (kept.has(purchase.quoteKey)) continue;
    expect(purchase.jobKey).toBeNull();
    model.purchases.splice(model.purchases.indexOf(purchase), 1);
  }
}

/** A month passes: no submitted content is kept. */
export class Retention implements Command {
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    await new Pass(retentionSeconds).run(model, world);
    await deleteExpired(world.service.runtime);
    // Earlier answers are repeated no longer than this.
    model.last = null;
    const { rowCount } = await world.service.database.pool.query(
      'select 1 from quotes where quote_key = any($1::text[]) and input is not null',
      [model.purchases.map(({ quoteKey }) => quoteKey)],
    );
    expect(rowCount).toBe(0);
    await forgetPruned(model, world);
    for (const purchase of model.purchases) purchase.contentDeleted = true;
    await new Sweep().run(model, world);
  }
  toString = () => 'Retention()';
}

import fc from 'fast-check';
import { expect } from 'vitest';
import { isEnded } from '../../server/purchases/states.ts';
import { price } from '../../server/service/terms.ts';
import type { Answer } from '../support/agent.ts';
import { AtOnce } from './at-once.ts';
import {
  Authorize,
  Begin,
  Cancel,
  CancelPayment,
  Pay,
  PayAgain,
  PayWithCredit,
  Quote,
  Repeat,
  Review,
} from './buyer.ts';
import { type Command, OnJob, pathOf, refusal, type Step } from './command.ts';
import { AddSource, ChangeGrant, Pause, RemoveSource } from './customer.ts';
import { generous, type Model, type ProviderMode, type Purchase, providerModes, wouldMove } from './model.ts';
import { actionsOn, waysToPay } from './refusals.ts';
import { DeleteContent, Pass, Provider, Refund, Retention, Sweep, Waive, Work } from './surroundings.ts';
import { namesOf, type WorkerFate, type World } from './world.ts';

/** A command that sends one request. */
type Listed = { act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<Answer> };

const networkOf = (variant: number): 0 | 1 => (variant % 2 === 0 ? 0 : 1);

/** The listed actions on a job, as commands. */
const listed: Record<string, (index: number, variant: number) => Listed> = {
  pay: (index, variant) => new Pay(index, networkOf(variant)),
  cancel_payment: (index) => new CancelPayment(index),
  cancel: (index) => new Cancel(index),
  review: (index, variant) =>
    new Review(index, variant % 3 === 0 ? 'accept' : 'dispute', variant % 2 === 0 ? 'agent' : 'member'),
};

/** Runs a listed action: it must succeed, unless it is a payment and its provider fails. */
export class Next extends OnJob {
  readonly variant: number;
  constructor(index: number, variant: number) {
    super(index);
    this.variant = variant;
  }
  /** Usually the action that leads on; sometimes the last one listed, which is to cancel. */
  private actionOn({ nextActions }: Purchase): string | undefined {
    const actions = nextActions.filter((action) => action in listed);
    return this.variant === 0 ? actions.at(-1) : actions.find((action) => action !== 'cancel');
  }
  override matters(purchase: Purchase): boolean {
    return this.actionOn(purchase) !== undefined;
  }
  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<void> {
    const action = this.actionOn(purchase) ?? '';
    if (action === 'pay') return this.pay(model, world, purchase, jobKey);
    const overdue = action === 'review' && model.now() > purchase.reviewBy;
    const decision = overdue ? 'accept' : 'dispute';
    const isDecided = action === 'review' && (overdue || model.grant.paused);
    const command = isDecided ? new Review(this.index, decision, 'agent') : listed[action]?.(this.index, this.variant);
    const answer = await command?.act(model, world, purchase, jobKey);
    expect([action, answer?.status]).toEqual([action, 200]);
  }
  /** Pays in a listed way, unless another purchase has used the listed credit since. */
  private async pay(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<void> {
    const { index, variant } = this;
    const ways = waysToPay(model, purchase);
    const way = ways[variant % ways.length];
    if (!way) return;
    const command = way === 'x402' ? new Pay(index, networkOf(variant)) : new PayWithCredit(index);
    const answer = await command.act(model, world, purchase, jobKey);
    if (way === 'wallet_credit' || wouldMove(model.provider)) expect([way, answer.status]).toEqual([way, 200]);
  }
}

/** Tries everything the service does not list, and reads what it does. */
class Others extends OnJob {
  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<void> {
    // A dead worker's last progress may still be on its way.
    const look = async () => ({ ...(await world.agent.job(jobKey)).body, progress: null });
    const before = await look();
    const lists = (action: string): boolean => purchase.nextActions.includes(action);
    const { body: seenByMember } = await world.member.get(pathOf(purchase));
    expect(namesOf(seenByMember.next_actions)).toEqual(actionsOn(model, purchase, 'member'));
    const noReport = isEnded(purchase.state) ? 'action_not_allowed' : 'report_not_ready';
    for (const [action, code] of Object.entries({ report: noReport, receipt: 'action_not_allowed' })) {
      const answer = await world.agent.get(`${pathOf(purchase)}/${action}`);
      expect(lists(action) ? answer.status : refusal(answer)).toEqual(lists(action) ? 200 : [409, code]);
    }
    for (const [action, command] of Object.entries(listed)) {
      if (!lists(action)) await command(this.index, 0).act(model, world, purchase, jobKey);
    }
    expect(await look()).toEqual(before);
  }
}

/** Commands are about one of the newest purchases. */
const newest = 3;
const index = fc.nat({ max: newest - 1 });
const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const decision = of('accept' as const, 'dispute' as const, 'dispute' as const);
const fate = of<WorkerFate>('delivers', 'delivers', 'delivers', 'delivers', 'delivers', 'dies', 'dies', 'breaks');
const party = of('agent' as const, 'member' as const);

/** Usually past a worker's lease; sometimes past a signature, a work deadline, the day to pay, or a review window. */
const waits = [25, 25, 25, 25, 333, 333, 1_999, 1_999, 88_888, 270_001];

const { paused: _, ...everything } = generous;
/** Most purchases name no governed document. */
const source = of(null, null, null, 0, 1);

/** A member's grant changes; usually back to the most generous. */
const changes: ConstructorParameters<typeof ChangeGrant>[0][] = [
  ...Array<typeof everything>(4).fill(everything),
  { perJob: Number(price) - 1 },
  { daily: 2 * Number(price) },
  { total: 3 * Number(price) },
  { paysWithX402: false },
  { governedRefs: false },
  { mayReview: false },
];

/** Steps that run at once with others. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(index, of(0 as const, 1 as const)).map(([i, network]) => new Pay(i, network)),
  index.map((i) => new PayAgain(i)),
  index.map((i) => new PayWithCredit(i)),
  index.map((i) => new CancelPayment(i)),
  index.map((i) => new Cancel(i)),
  fc.tuple(index, decision, party).map(([i, what, by]) => new Review(i, what, by)),
  index.map((i) => new Work(i, 'delivers')),
);

/** A command and its relative frequency. */
const weighted: [number, fc.Arbitrary<Command>][] = [
  [6, source.map((which) => new Begin(which))],
  [1, source.map((which) => new Quote(which))],
  [2, index.map((i) => new Authorize(i))],
  [20, fc.tuple(index, fc.nat(5)).map(([i, variant]) => new Next(i, variant))],
  [8, fc.tuple(index, of(0 as const, 1 as const)).map(([i, network]) => new Pay(i, network))],
  [1, index.map((i) => new PayAgain(i))],
  [4, index.map((i) => new PayWithCredit(i))],
  [1, index.map((i) => new CancelPayment(i))],
  [1, index.map((i) => new Cancel(i))],
  [8, fc.tuple(index, decision, party).map(([i, what, by]) => new Review(i, what, by))],
  [20, fc.tuple(index, fate).map(([i, how]) => new Work(i, how))],
  [4, fc.constant(new Sweep())],
  [4, of(...waits).map((wait) => new Pass(wait))],
  [2, of<ProviderMode>('well', 'well', 'well', ...providerModes).map((mode) => new Provider(mode))],
  [8, index.map((i) => new Waive(i))],
  [2, index.map((i) => new Refund(i))],
  [1, index.map((i) => new Others(i))],
  [1, fc.tuple(index, party).map(([i, by]) => new DeleteContent(i, by))],
  [1, fc.constant(new Retention())],
  [1, fc.constant(new Repeat())],
  [6, fc.tuple(step, step).map(([one, other]) => new AtOnce(one, other))],
  [2, of(...changes).map((change) => new ChangeGrant(change))],
  [1, of(true, false, false).map((paused) => new Pause(paused))],
  [1, of(new AddSource(), new AddSource(), new RemoveSource())],
];

/** Every command, as often as its weight says. */
export const commands = weighted.flatMap(([weight, command]) => Array<fc.Arbitrary<Command>>(weight).fill(command));

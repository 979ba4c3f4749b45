import type fc from 'fast-check';
import type { Answer } from '../support/agent.ts';
import type { Model, Purchase } from './model.ts';
import type { World } from './world.ts';

export type Command = fc.AsyncCommand<Model, World>;

/** How an answer refuses: status and code. */
export type Refusal = [number, string];
export const refusal = ({ status, body }: Answer): Refusal => [status, body?.code];
/** The address of a purchase's job. */
export const pathOf = (purchase: Purchase): string => `/api/agent/v1/jobs/${purchase.jobKey}`;

/** The purchase that a command is about, counted from the newest, so that any model can follow. */
export const pick = ({ purchases }: Pick<Model, 'purchases'>, index: number): Purchase | undefined =>
  purchases.at(-1 - (index % purchases.length));

/** A command about one purchase that has a job. */
export abstract class OnJob implements Command {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
  check(model: Readonly<Model>): boolean {
    const purchase = pick(model, this.index);
    return Boolean(purchase?.jobKey && this.matters(purchase));
  }
  /** Whether the command is worth a try: what cannot be done now is tried by `Others`. */
  matters(_purchase: Purchase): boolean {
    return true;
  }
  async run(model: Model, world: World): Promise<void> {
    const purchase = pick(model, this.index);
    if (!purchase?.jobKey) return;
    await this.act(model, world, purchase, purchase.jobKey);
    await world.observe(model, purchase);
  }
  /** Does it, expects what the model says, and moves the model on. */
  abstract act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<unknown>;
  toString(): string {
    const { index, ...rest } = this;
    return `${this.constructor.name}(${[index, ...Object.values(rest)].join(', ')})`;
  }
}

/** What a step is answered; a worker is answered nothing. */
export type Reply = Answer | null;

/**
 * A command about one purchase that is one step of somebody. What it says to the service, and what that must lead to,
 * stand apart, so that two steps can be made at once.
 */
export abstract class Step<Given extends Reply = Reply> extends OnJob {
  /** Prepares the step, and gives what makes it. */
  abstract ready(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<() => Promise<Given>>;
  /** Expects what the model says, and moves the model on. */
  abstract explain(model: Model, purchase: Purchase, answer: Given): void;
  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<Given> {
    const make = await this.ready(model, world, purchase, jobKey);
    const answer = await make();
    this.explain(model, purchase, answer);
    return answer;
  }
}

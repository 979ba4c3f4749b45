import type fc from 'fast-check';
import type { Answer } from '../support/agent.ts';
import type { Model, Purchase } from './model.ts';
import type { World } from './world.ts';

export type Command = fc.AsyncCommand<Model, World>;

/** A refusal: status and code. */
export type Refusal = [number, string];
export const refusal = ({ status, body }: Answer): Refusal => [status, body?.code];
/** The address of a purchase's job. */
export const pathOf = (purchase: Purchase): string => `/api/agent/v1/jobs/${purchase.jobKey}`;

/** The purchase that a command is about, counted from the newest so that it works on any model. */
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
  /** Whether to run the command: `Others` tries what is impossible now. */
  matters(_purchase: Purchase): boolean {
    return true;
  }
  async run(model: Model, world: World): Promise<void> {
    const purchase = pick(model, this.index);
    if (!purchase?.jobKey) return;
    await this.act(model, world, purchase, purchase.jobKey);
    await world.observe(model, purchase);
  }
  /** Runs it, checks the answer against the model, and updates the model. */
  abstract act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<unknown>;
  toString(): string {
    const { index, ...rest } = this;
    return `${this.constructor.name}(${[index, ...Object.values(rest)].join(', ')})`;
  }
}

/** The answer to a step; a worker gets none. */
export type Reply = Answer | null;

/**
 * A command that is a single step on one purchase. Sending it and checking its effect are separate, so that two steps
 * can run at once.
 */
export abstract class Step<Given extends Reply = Reply> extends OnJob {
  /** Prepares the step; returns a function that runs it. */
  abstract ready(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<() => Promise<Given>>;
  /** Checks the answer against the model, and updates the model. */
  abstract explain(model: Model, purchase: Purchase, answer: Given): void;
  async act(model: Model, world: World, purchase: Purchase, jobKey: string): Promise<Given> {
    const make = await this.ready(model, world, purchase, jobKey);
    const answer = await make();
    this.explain(model, purchase, answer);
    return answer;
  }
}

import { expect } from 'vitest';
import { Pay, PayAgain } from './buyer.ts';
import { type Command, pick, type Reply, type Step } from './command.ts';
import { copyOf, type Model, seen } from './model.ts';
import { standingOf, type World } from './world.ts';

/** A step and its answer. */
interface Made {
  readonly step: Step;
  readonly answer: Reply;
}

/**
 * Two steps at once. The answers and the state afterwards must be as if one had come after the other, in either order.
 * A step told to retry must have changed nothing: then the other alone explains the result.
 */
export class AtOnce implements Command {
  readonly first: Step;
  readonly second: Step;
  constructor(first: Step, second: Step) {
    this.first = first;
    this.second = second;
  }
  check(model: Readonly<Model>): boolean {
    return this.first.check(model) && this.second.check(model) && !this.#isAmbiguous(model);
  }
  /** When two signatures are presented for one job, an inconclusive answer does not say which is open. */
  #isAmbiguous(model: Readonly<Model>): boolean {
    const steps = [this.first, this.second];
    if (pick(model, this.first.index) !== pick(model, this.second.index)) return false;
    if (steps.every((step) => step instanceof Pay)) return model.provider !== 'well';
    return steps.some((step) => step instanceof Pay) && steps.some((step) => step instanceof PayAgain);
  }
  async run(model: Model, world: World): Promise<void> {
    const [first, second] = [await this.#ready(this.first, model, world), await this.#ready(this.second, model, world)];
    const [one, other] = await Promise.all([first(), second()]);
    const found = await world.look(model);
    const failures: string[] = [];
    const isExplained = orders(one, other).some((order) => {
      const explained = copyOf(model);
      try {
        for (const { step, answer } of order) explain(step, explained, answer);
        for (const purchase of explained.purchases) {
          const answer = found.get(purchase.jobKey ?? '');
          if (answer) expect(standingOf(answer.body)).toEqual(seen(purchase, explained.now()));
        }
      } catch (error) {
        failures.push(`${order.map(({ step }) => step).join(', ')}: ${error}`);
        return false;
      }
      Object.assign(model, explained);
      return true;
    });
    if (!isExplained) throw new Error([`No order explains ${told(one)} and ${told(other)}.`, ...failures].join('\n'));
    for (const purchase of model.purchases) {
      const answer = found.get(purchase.jobKey ?? '');
      if (answer) world.compare(model, purchase, answer);
    }
  }
  async #ready(step: Step, model: Model, world: World): Promise<() => Promise<Made>> {
    const purchase = pick(model, step.index);
    if (!purchase?.jobKey) throw new Error('checked before');
    const make = await step.ready(model, world, purchase, purchase.jobKey);
    return async () => ({ step, answer: await make() });
  }
  toString = () => `AtOnce(${this.first}, ${this.second})`;
}

function explain(step: Step, model: Model, answer: Reply): void {
  const purchase = pick(model, step.index);
  if (purchase) step.explain(model, purchase, answer);
}

/** The orders that may explain two steps. */
function orders(one: Made, other: Made): Made[][] {
  return [
    [one, other],
    [other, one],
    ...(isToComeAgain(one) ? [[other]] : []),
    ...(isToComeAgain(other) ? [[one]] : []),
    ...(isToComeAgain(one) && isToComeAgain(other) ? [[]] : []),
  ];
}

function isToComeAgain({ answer }: Made): boolean {
  return answer?.status === 409 && answer.headers.has('retry-after');
}

const told = ({ step, answer }: Made): string => `${step} -> ${answer?.status} ${answer?.body?.code ?? ''}`;

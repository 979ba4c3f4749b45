import type fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer } from '../support/agent.ts';
import type { Customer } from '../support/customer.ts';
import type { Service } from '../support/service.ts';
import type { Model, Registration } from './model.ts';

/** The service, the customer, and how often each answer came. */
export interface World {
  readonly service: Service;
  readonly customer: Customer;
  readonly given: Map<string, number>;
}

export type Command = fc.AsyncCommand<Model, World>;

/** Registrations per run. */
export const registrationsMax = 4;

const status = ({ status, body }: Answer): string => (status < 400 ? `${status}` : `${status} ${body.code}`);

/** The answer must be this one. */
export function expectAnswer(world: World, step: string, answer: Answer, wanted: string): void {
  expect(`${step}: ${status(answer)}`).toBe(`${step}: ${wanted}`);
  const name = `${step}: ${wanted}`;
  world.given.set(name, (world.given.get(name) ?? 0) + 1);
}

/** A command about one registration, counted from the newest. */
export abstract class About implements Command {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
  check(model: Readonly<Model>): boolean {
    return model.registrations.length > 0 && this.matters(model);
  }
  matters(_model: Readonly<Model>): boolean {
    return true;
  }
  run(model: Model, world: World): Promise<void> {
    return this.act(model, world, this.registrationIn(model));
  }
  registrationIn({ registrations }: Pick<Model, 'registrations'>): Registration {
    const registration = registrations.at(-1 - (this.index % registrations.length));
    if (!registration) throw new Error('checked before');
    return registration;
  }
  abstract act(model: Model, world: World, registration: Registration): Promise<void>;
  toString(): string {
    const { matters: _, ...told } = this;
    return `${this.constructor.name}(${Object.values(told).join(', ')})`;
  }
}

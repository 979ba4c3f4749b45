import fc from 'fast-check';
import { revokeUnused } from '../../server/identity/credential.ts';
import { Ask, Claim, Rotate, Use } from './agents.ts';
import { type Command, registrationsMax, type World } from './command.ts';
import { Decide, FollowLink, Mail, ReleaseAgain, Revoke } from './customer.ts';
import type { Model, Registration } from './model.ts';

/** Time passes, and the worker records what expired. */
class Pass implements Command {
  readonly seconds: number;
  constructor(seconds: number) {
    this.seconds = seconds;
  }
  check = () => true;
  async run(_model: Model, { service }: World): Promise<void> {
    service.advanceClock(this.seconds);
    await revokeUnused(service.runtime);
  }
  toString = () => `Pass(${this.seconds})`;
}

const index = fc.nat({ max: registrationsMax - 1 });

/** One of the three newest credentials. */
const which = fc.nat({ max: 2 });

const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const mode = of<Registration['mode']>('new_customer', 'link_existing', 'link_existing');

const code = of<'right' | 'wrong' | null>('right', 'right', 'right', 'wrong', null);

const reason = of<'monthly' | 'compromised'>('monthly', 'monthly', 'monthly', 'compromised');

/** Multiples of 70 s: no sum of them is within 10 s of a limit, so a slow run cannot cross one. */
const waits = [70, 70, 70, 140, 350, 350, 700, 910, 1_820, 1_820, 86_450];

/** A command and its relative frequency. */
const weighted: [number, fc.Arbitrary<Command>][] = [
  [4, mode.map((how) => new Ask(how))],
  [5, fc.constant(new Mail())],
  [10, fc.tuple(index, code, of(1, 1, 1, 3, 7)).map(([i, what, times]) => new Claim(i, what, times))],
  [2, index.map((i) => new FollowLink(i, 'confirm'))],
  [2, index.map((i) => new FollowLink(i, 'decline'))],
  [3, index.map((i) => new Decide(i, 'approve'))],
  [3, index.map((i) => new Decide(i, 'deny'))],
  [5, index.map((i) => new ReleaseAgain(i))],
  [2, index.map((i) => new Revoke(i))],
  [16, fc.tuple(index, which).map(([i, n]) => new Use(i, n))],
  [9, fc.tuple(index, which, reason, of(0, 900, 86_400)).map(([i, n, why, grace]) => new Rotate(i, n, why, grace))],
  [6, of(...waits).map((wait) => new Pass(wait))],
];

/** Every command, as often as its weight says. */
export const commands = weighted.flatMap(([weight, command]) => Array<fc.Arbitrary<Command>>(weight).fill(command));

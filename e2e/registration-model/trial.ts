import fc from 'fast-check';
import { Customer } from '../support/customer.ts';
import type { Counts } from '../support/part.ts';
import type { Service } from '../support/service.ts';
import { Ask } from './agents.ts';
import type { World } from './command.ts';
import { Mail } from './customer.ts';
import type { Model } from './model.ts';
import { commands } from './repertoire.ts';

const commandsMax = 60;

const decided = ['200', '404 not_found', '409 action_not_allowed', '410 registration_expired'];
const presented = '401 invalid_token';

/** The possible answers to each step. */
const answersTo: Readonly<Record<string, readonly string[]>> = {
  register: ['202'],
  claim: [
    '200',
    '202',
    '403 registration_declined',
    '410 credential_already_released',
    '410 registration_expired',
    '422 code_invalid',
  ],
  confirm: decided,
  decline: decided,
  approve: decided,
  deny: decided,
  'release again': ['200', '404 not_found', '409 action_not_allowed'],
  revoke: ['200', '404 not_found'],
  use: ['200', presented],
  'rotate monthly': ['201', presented],
  'rotate compromised': ['201', presented],
};

/** Each of these answers, and how often it was `given`. */
const countsOf = (given: ReadonlyMap<string, number>): Counts =>
  Object.fromEntries(
    Object.entries(answersTo).flatMap(([step, answers]) =>
      answers.map((answer) => [`${step}: ${answer}`, given.get(`${step}: ${answer}`) ?? 0]),
    ),
  );

/**
 * Drives one customer's registrations through random commands of agents, customer, member, worker and clock, this
 * often, on all services at once, and compares each answer with the model. Returns how often each answer came. A
 * divergence fails with the seed and its commands.
 */
export async function tryRegistrations(services: Service[], runs: number, seed: number): Promise<Counts> {
  console.log(`The seed is ${seed}.`);
  const given = new Map<string, number>();
  const share = Math.ceil(runs / services.length);
  await Promise.all(services.map((service, lane) => tryOn(service, share, seed + lane, given)));
  const counts = countsOf(given);
  console.log(`${share * services.length} runs:`, JSON.stringify(counts));
  return counts;
}

async function tryOn(service: Service, runs: number, seed: number, given: Map<string, number>): Promise<void> {
  const property = fc.asyncProperty(
    fc.noBias(fc.commands(commands, { maxCommands: commandsMax, size: 'max' })),
    async (chosen) => {
      const world: World = { service, customer: new Customer(service), given };
      const model: Model = { now: () => service.runtime.clock().getTime(), accountKey: null, registrations: [] };
      await new Ask('new_customer').run(model, world);
      await new Mail().run(model, world);
      await fc.asyncModelRun(() => ({ model, real: world }), chosen);
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
}

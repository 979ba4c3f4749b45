import fc from 'fast-check';
import { expect } from 'vitest';
import { transitions } from '../../server/purchases/states.ts';
import type { Counts } from '../support/part.ts';
import type { Service } from '../support/service.ts';
import { Begin } from './buyer.ts';
import { kinds, survive, type Tally } from './hostile-chain.ts';
import { hostilities } from './hostilities.ts';
import { cancelUnpaid, collected, isOpen, type Model, newModel } from './model.ts';
import { commands } from './repertoire.ts';
import { World } from './world.ts';

const commandsMax = 60;

/**
 * Runs the model so often, on all services at once, and gives how often each step of the table of transitions was
 * taken, and how often each kind of thing happened on a hostile chain. One run in `hostileOneIn` ends on one.
 * Each service has a clock, a provider and chains of its own, so runs do not disturb each other.
 */
export async function tryPurchases(
  services: Service[],
  runs: number,
  { seed, hostileOneIn }: { seed: number; hostileOneIn: number },
): Promise<Counts> {
  const share = Math.ceil(runs / services.length);
  console.log(`The seed is ${seed}.`);
  const tally: Tally = new Map(kinds.map((kind) => [kind, 0]));
  await Promise.all(services.map((service, lane) => tryOn(service, share, { seed: seed + lane, hostileOneIn, tally })));
  const taken = { ...(await stepsTaken(services)), ...Object.fromEntries(tally) };
  console.log(`${share * services.length} runs:`, JSON.stringify(taken));
  return taken;
}

/**
 * Drives purchases through random commands of agent, member, worker, clock and provider, and compares each step with
 * the model. A divergence fails with the seed and the commands that lead to it.
 */
async function tryOn(
  service: Service,
  runs: number,
  { seed, hostileOneIn, tally }: { seed: number; hostileOneIn: number; tally: Tally },
): Promise<void> {
  const property = fc.asyncProperty(
    fc.noBias(fc.commands(commands, { maxCommands: commandsMax, size: 'max' })),
    fc.noBias(
      fc.oneof({ weight: hostileOneIn - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostilities }),
    ),
    async (chosen, happenings) => {
      const world = await World.open(service);
      const model = newModel(world.now);
      await new Begin().run(model, world);
      await fc.asyncModelRun(() => ({ model, real: world }), chosen);
      await settleDown(model, world);
      if (happenings) await survive(world, happenings, tally);
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
}

/** Once all is well again, everything ends or waits for its buyer, and no outcome stays unknown (I7, I20). */
async function settleDown(model: Model, world: World): Promise<void> {
  await world.provider('well');
  const unsettled = model.purchases.filter((purchase) => purchase.jobKey && isOpen(purchase));
  if (unsettled.length === 0) return;
  await world.pass(60);
  cancelUnpaid(model);
  await world.service.sweep();
  for (const purchase of unsettled) {
    const { body } = await world.agent.job(purchase.jobKey ?? '');
    expect(['none', 'collected']).toContain(body.payment_state);
    if (body.payment_state === 'collected') collected(model, purchase, 'x402');
    else purchase.payment = 'none';
    cancelUnpaid(model);
    await world.observe(model, purchase);
  }
}

/** How often each step of the table of transitions was taken, by `transition from state`. */
async function stepsTaken(services: Service[]): Promise<Counts> {
  const steps = Object.entries(transitions).flatMap(([name, { from }]) => from.map((state) => `${name} from ${state}`));
  const taken = new Map(steps.map((step) => [step, 0]));
  for (const { database } of services) {
    const { rows } = await database.pool.query<{ step: string; times: number }>(`
      select action || ' from ' || state_from as step, count(*)::int as times from audit_rows
      where state_from is not null group by 1`);
    for (const { step, times } of rows) taken.set(step, (taken.get(step) ?? 0) + times);
  }
  return Object.fromEntries(taken);
}

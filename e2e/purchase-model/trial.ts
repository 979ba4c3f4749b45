import fc from 'fast-check';
import { expect } from 'vitest';
import { transitions } from '../../server/purchases/states.ts';
import { listen } from '../support/card.ts';
import type { Counts } from '../support/part.ts';
import type { Service } from '../support/service.ts';
import { Begin } from './buyer.ts';
import { cardHappenings } from './card-happenings.ts';
import type { Command } from './command.ts';
import { kinds, survive, type Tally } from './hostile-chain.ts';
import { type CardTally, cardKinds, surviveCards } from './hostile-provider.ts';
import { hostilities } from './hostilities.ts';
import { cancelUnpaid, isOpen, type Model, newModel } from './model.ts';
import { commands } from './repertoire.ts';
import { Sweep } from './surroundings.ts';
import { World } from './world.ts';

const commandsMax = 60;

/**
 * Runs the model so often, on all services at once, and gives how often each step of the table of transitions was
 * taken, and how often each kind of thing happened on a hostile chain, or with a hostile card provider. One run in
 * `hostileOneIn` ends on each.
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
  const cards: CardTally = new Map(cardKinds.map((kind) => [kind, 0]));
  const chance = { onChain: tally, byCard: cards, oneIn: hostileOneIn };
  const trial: Trial = { brokenBy: null };
  // Let all lanes end: what must hold between runs is checked on each service as soon as one has failed.
  const lanes = await Promise.allSettled(
    services.map((service, lane) => tryOn(service, share, { seed: seed + lane, chance, trial })),
  );
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  const taken = { ...(await stepsTaken(services)), ...Object.fromEntries([...tally, ...cards]) };
  console.log(`${share * services.length} runs:`, JSON.stringify(taken));
  return taken;
}

/** What the lanes know of each other. */
interface Trial {
  /** The run that failed first, if any: then only those that make its commands fewer still do something. */
  brokenBy: { service: Service; canBeMadeSmaller: boolean } | null;
}

/** How often things happen around a run, and where that is counted. */
interface Chance {
  onChain: Tally;
  byCard: CardTally;
  oneIn: number;
}

/**
 * Drives purchases through random commands of agent, member, worker, clock and provider, and compares each step with
 * the model. A divergence fails with the seed and the commands that lead to it.
 */
async function tryOn(
  service: Service,
  runs: number,
  { seed, chance, trial }: { seed: number; chance: Chance; trial: Trial },
): Promise<void> {
  await listen(service);
  const fails = (error: unknown, canBeMadeSmaller: boolean): never => {
    trial.brokenBy ??= { service, canBeMadeSmaller };
    throw error;
  };
  const property = fc.asyncProperty(
    fc.noBias(fc.commands(commands, { maxCommands: commandsMax, size: 'max' })),
    fc.noBias(endings(chance)),
    async (chosen, ending) => {
      const { brokenBy } = trial;
      if (brokenBy && !(brokenBy.service === service && brokenBy.canBeMadeSmaller)) return;
      const world = await World.open(service);
      await follow(world, chosen).catch((error) => fails(error, true));
      // What fails on a hostile chain leaves it as it is: no later run on it tells anything.
      await ending.in(world).catch((error) => fails(error, false));
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
}

/** One run of these commands alone. */
export async function tryCommands(service: Service, commands: readonly Command[]): Promise<void> {
  await follow(await World.open(service), commands);
}

/** Makes the commands, and settles what they leave open. */
async function follow(world: World, chosen: Iterable<Command>): Promise<void> {
  const model = newModel(world.now);
  await new Begin().run(model, world);
  await fc.asyncModelRun(() => ({ model, real: world }), chosen);
  await settleDown(model, world);
}

/** How a run ends, after its commands. */
interface Ending {
  in(world: World): Promise<void>;
}

/** One run in so many ends on a hostile chain, as many with a hostile card provider, the others as they are. */
function endings({ onChain, byCard, oneIn }: Chance): fc.Arbitrary<Ending> {
  const ending = (names: readonly unknown[], run: Ending['in']): Ending =>
    ({ in: run, toString: () => names.join(', ') }) as Ending;
  return fc.oneof(
    { weight: oneIn - 2, arbitrary: fc.constant(ending([], async () => {})) },
    { weight: 1, arbitrary: hostilities.map((all) => ending(all, (world) => survive(world, all, onChain))) },
    { weight: 1, arbitrary: cardHappenings.map((all) => ending(all, (world) => surviveCards(world, all, byCard))) },
  );
}

/** Once all is well again, everything ends or waits for its buyer, and no outcome stays unknown (I7, I20). */
async function settleDown(model: Model, world: World): Promise<void> {
  await world.provider('well');
  const unsettled = model.purchases.filter((purchase) => purchase.jobKey && isOpen(purchase));
  if (unsettled.length === 0) return;
  model.provider = 'well';
  await world.pass(60);
  cancelUnpaid(model);
  await new Sweep().run(model, world);
  expect(unsettled.filter(isOpen)).toEqual([]);
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

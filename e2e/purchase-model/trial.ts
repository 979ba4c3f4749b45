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
 * Runs the model this often on all services at once. Returns how often each transition was taken, and how often each
 * kind of hostile event happened. One run in `hostileOneIn` ends on a hostile chain, and as many with a hostile card
 * provider. Each service has its own clock, provider and chains, so runs do not disturb each other.
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
  // Let all lanes end: once one has failed, the invariants between runs are checked on each service.
  const lanes = await Promise.allSettled(
    services.map((service, lane) => tryOn(service, share, { seed: seed + lane, chance, trial })),
  );
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  const taken = { ...(await stepsTaken(services)), ...Object.fromEntries([...tally, ...cards]) };
  console.log(`${share * services.length} runs:`, JSON.stringify(taken));
  return taken;
}

/** State shared by the lanes. */
interface Trial {
  /** The first failed run, if any: after it only runs that shrink its commands do anything. */
  brokenBy: { service: Service; canBeMadeSmaller: boolean } | null;
}

/** How often things happen around a run, and where to count that. */
interface Chance {
  onChain: Tally;
  byCard: CardTally;
  oneIn: number;
}

/**
 * Drives purchases through random commands of agent, member, worker, clock and provider, and compares each step with
 * the model. A divergence fails with the seed and its commands.
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
      // A failure on a hostile chain leaves it broken: later runs on it mean nothing.
      await ending.in(world).catch((error) => fails(error, false));
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
}

/** One run of only these commands. */
export async function tryCommands(service: Service, commands: readonly Command[]): Promise<void> {
  await follow(await World.open(service), commands);
}

/** Runs the commands, then settles what they leave open. */
async function follow(world: World, chosen: Iterable<Command>): Promise<void> {
  const model = newModel(world.now);
  await new Begin().run(model, world);
  await fc.asyncModelRun(() => ({ model, real: world }), chosen);
  await settleDown(model, world);
}

/** How a run ends after its commands. */
interface Ending {
  in(world: World): Promise<void>;
}

/** One run in this many ends on a hostile chain, as many with a hostile card provider, the others without. */
function endings({ onChain, byCard, oneIn }: Chance): fc.Arbitrary<Ending> {
  const ending = (names: readonly unknown[], run: Ending['in']): Ending =>
    ({ in: run, toString: () => names.join(', ') }) as Ending;
  return fc.oneof(
    { weight: oneIn - 2, arbitrary: fc.constant(ending([], async () => {})) },
    { weight: 1, arbitrary: hostilities.map((all) => ending(all, (world) => survive(world, all, onChain))) },
    { weight: 1, arbitrary: cardHappenings.map((all) => ending(all, (world) => surviveCards(world, all, byCard))) },
  );
}

/** Once all faults are over, everything ends or waits for its buyer, and no outcome stays unknown (I7, I20). */
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

/** How often each transition was taken, by `transition from state`. */
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

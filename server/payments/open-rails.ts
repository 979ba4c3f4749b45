import type { Configuration } from '../configuration.ts';
import { cardRail } from './card/rail.ts';
import type { RailName } from './contract.ts';
import type { Rail, Rails } from './rail.ts';
import { x402Rail } from './x402/rail.ts';
import { openStablecoins } from './x402/stablecoins.ts';

type Settings = Pick<Configuration, 'x402' | 'card' | 'remediesMax'>;

/** A rail that is missing here does not compile. */
const makers: Readonly<Record<RailName, (settings: Settings) => Rail>> = {
  x402: ({ x402 }) => x402Rail(x402 && openStablecoins(x402)),
  // Whoever may take remedies without end needs no bound on what is under way either.
  card: ({ card, remediesMax }) => cardRail(card, remediesMax > 0),
};

/** This build's rails, configured as far as their settings go. Calls nobody. */
export function openRails(settings: Settings): Rails {
  return new Map(
    Object.values(makers)
      .map((make) => make(settings))
      .map((rail) => [rail.name, rail]),
  );
}

import type { Configuration } from '../configuration.ts';
import { cardRail } from './card/rail.ts';
import type { RailName } from './contract.ts';
import type { Rail, Rails } from './rail.ts';
import { x402Rail } from './x402/rail.ts';
import { openStablecoins } from './x402/stablecoins.ts';

type Settings = Pick<Configuration, 'x402' | 'card'>;

/** A rail that is missing here does not compile. */
const makers: Readonly<Record<RailName, (settings: Settings) => Rail>> = {
  x402: ({ x402 }) => x402Rail(x402 && openStablecoins(x402)),
  card: ({ card }) => cardRail(card),
};

/** This build's rails, configured as far as their settings go. Calls nobody. */
export function openRails(settings: Settings): Rails {
  return new Map(
    Object.values(makers)
      .map((make) => make(settings))
      .map((rail) => [rail.name, rail]),
  );
}

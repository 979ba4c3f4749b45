import type { Configuration } from '../configuration.ts';
import { cardRail } from './card/rail.ts';
import type { RailName } from './contract.ts';
import type { Rail, Rails } from './rail.ts';
import { x402Rail } from './x402/rail.ts';
import { openStablecoins } from './x402/stablecoins.ts';

/** This build's rails, configured as far as their settings go. Calls nobody. */
export function openRails({ x402, card }: Pick<Configuration, 'x402' | 'card'>): Rails {
  const rails: Rail[] = [x402Rail(x402 && openStablecoins(x402)), cardRail(card)];
  return new Map<RailName, Rail>(rails.map((rail) => [rail.name, rail]));
}

import type { Configuration } from '../configuration.ts';
import type { RailName } from './contract.ts';
import type { Rail, Rails } from './rail.ts';
import { x402Rail } from './x402/rail.ts';
import { openStablecoins } from './x402/stablecoins.ts';

/** This build's rails, configured as far as their settings go. Calls nobody. */
export function openRails({ x402 }: Pick<Configuration, 'x402'>): Rails {
  const rails: Rail[] = [x402Rail(x402 && openStablecoins(x402))];
  return new Map<RailName, Rail>(rails.map((rail) => [rail.name, rail]));
}

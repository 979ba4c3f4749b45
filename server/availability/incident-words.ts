import type { Incident, incidentImpacts, incidentParts } from './incident-contract.ts';

/** The parts of the service and what befell them, in words. */

export const partWords: Readonly<Record<(typeof incidentParts)[number], string>> = {
  rest: 'REST',
  mcp: 'MCP',
  card: 'Payment by card',
  stablecoin: 'Payment in USDC (x402)',
  checks: 'Checks',
};

export const impactWords: Readonly<Record<(typeof incidentImpacts)[number], string>> = {
  degraded: 'slow or failing at times',
  down: 'down',
};

/** `MCP: down, Checks: slow or failing at times`, in the order of the parts. */
export function impactText(impact: Incident['impact']): string {
  return (Object.keys(partWords) as (keyof typeof partWords)[])
    .flatMap((part) => (impact[part] ? [`${partWords[part]}: ${impactWords[impact[part]]}`] : []))
    .join(', ');
}

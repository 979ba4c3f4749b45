import { Problem } from '../door/problem.ts';

/** An operator's switches and absent settings: asking again changes nothing about them (specification 2.2). */
const settings = [
  'service_disabled',
  'rail_disabled',
  'card_disabled',
  'x402_not_configured',
  'assessor_not_configured',
];

/** The refusal of what cannot be bought or paid now, with its reasons. */
export function unavailable(detail: string, reasons: string[]): Problem {
  const isSetting = reasons.some((reason) => settings.includes(reason));
  return new Problem('service_unavailable', detail, {
    members: isSetting ? { reasons, retryable: false } : { reasons },
    headers: isSetting ? {} : { 'Retry-After': '60' },
  });
}

/** The refusal of a rail that cannot be used. */
export function railUnavailable(rail: string, reasons: string[]): Problem {
  return unavailable(`The rail ${rail} cannot be used right now.`, reasons);
}

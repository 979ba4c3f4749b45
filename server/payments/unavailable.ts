import { Problem } from '../problems/problem.ts';

/** Switches and missing settings: asking again changes nothing (specification 2.2). */
const settings = [
  'service_disabled',
  'rail_disabled',
  'card_disabled',
  'card_secret_missing',
  'card_webhook_secret_missing',
  'card_key_mode_unknown',
  'card_return_url_missing',
  'x402_not_configured',
  'assessor_not_configured',
];

/** The refusal of what cannot be bought or paid now, with reasons. */
export function unavailable(detail: string, reasons: string[]): Problem {
  const isSetting = reasons.some((reason) => settings.includes(reason));
  return new Problem('service_unavailable', detail, {
    members: isSetting ? { reasons, retryable: false } : { reasons },
    headers: isSetting ? {} : { 'Retry-After': '60' },
  });
}

/** The refusal of an unusable rail. */
export function railUnavailable(rail: string, reasons: string[]): Problem {
  return unavailable(`The rail ${rail} cannot be used right now.`, reasons);
}

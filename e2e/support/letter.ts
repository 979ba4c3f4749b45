import { service } from '../../server/service/terms.ts';

/** What an agent sends to register for this address. */
export function registrationFor(email: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    mode: 'new_customer',
    email,
    terms_version: service.termsVersion,
    agent: { name: 'Procurement Assistant', software: 'ledger-agent 2.4.1' },
    ...changes,
  };
}

/** The first address in a letter: where its button leads. Empty if there is none. */
export const addressIn = (text: string): string => /https?:\S+/.exec(text)?.[0] ?? '';

/** The token of that link; empty if there is none. */
export function linkIn(text: string): string {
  const address = addressIn(text);
  return address === '' ? '' : (new URL(address).searchParams.get('link') ?? '');
}

/** The six digits in a letter; empty if there are none. */
export function codeIn(text: string): string {
  const [, first = '', second = ''] = /\b(\d{3}) (\d{3})\b/.exec(text) ?? [];
  return first + second;
}

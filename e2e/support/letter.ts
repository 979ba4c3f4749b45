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

/** The token of the link in a letter's first line; empty if there is none. */
export function linkIn(text: string): string {
  return new URL(text.split('\n')[0] ?? '').searchParams.get('link') ?? '';
}

/** The six digits in a letter; empty if there are none. */
export function codeIn(text: string): string {
  const [, first = '', second = ''] = /\b(\d{3}) (\d{3})\b/.exec(text) ?? [];
  return first + second;
}

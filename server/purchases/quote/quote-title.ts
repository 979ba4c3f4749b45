import type { Keyring } from '../../kernel/keyring.ts';
import { unseal } from '../../kernel/seal.ts';
import { titleOf } from '../title.ts';

/** The title of a quote from its sealed content; null without one, or once the content is deleted. */
export function quoteTitle(input: string | null, quoteKey: string, keyring: Keyring): string | null {
  if (input === null) return null;
  const { request } = JSON.parse(unseal(input, keyring, { column: 'quotes.input', row: quoteKey }));
  return titleOf(request);
}

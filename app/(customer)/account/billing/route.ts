import { submit } from '../../submit.ts';

/** Says who buys, from a form of the account page; a browser counts a line break as one character and sends two. */
export const POST = submit({
  operation: 'change_billing',
  input: (fields) => ({
    name: fields.get('name') ?? '',
    address: (fields.get('address') ?? '').replaceAll('\r\n', '\n'),
    tax_id: fields.get('tax_id')?.trim() || null,
  }),
  next: (_, refused) => ({
    page: '/account',
    notice: refused === 'validation_failed' ? 'billing_missing' : (refused ?? 'billing'),
  }),
});

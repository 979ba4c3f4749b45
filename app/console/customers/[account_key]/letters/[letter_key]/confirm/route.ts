import { submit } from '../../../../../operator.ts';

export const POST = submit({
  operation: 'send_letter_again',
  input: (fields, { letter_key }) => ({ letter_key, reason: fields.get('reason') ?? '' }),
  next: ({ account_key }) => `/console/customers/${account_key}`,
});

import { submit } from '../../submit.ts';
import { destinationOf } from '../destination.ts';

export const POST = submit({
  operation: 'sign_in_link',
  input: (fields) => ({ email: fields.get('email')?.trim() ?? '', next: destinationOf(fields.get('next')) }),
  // An address that cannot be one gets the same page: nothing here tells which addresses are known.
  next: (_, refused) => `/sign-in?asked=${refused === 'registrations_closed' ? 'closed' : 'sent'}`,
});

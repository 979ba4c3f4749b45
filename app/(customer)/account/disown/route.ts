import { submit } from '../../submit.ts';

/** Says that nobody of the account made the contested payments that can be disowned. */
export const POST = submit({
  operation: 'disown_payments',
  input: () => ({}),
  next: (_, refused) => (refused === null ? { page: '/account', notice: 'disowned' } : '/account'),
});

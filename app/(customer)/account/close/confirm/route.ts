import { submit } from '../../../submit.ts';

/** Closes the account that the form names. A second press finds nobody signed in. */
export const POST = submit({
  operation: 'close_account',
  input: (fields) => ({ account_key: fields.get('account') ?? '' }),
  next: (_, refused) => ({ page: '/account/close', notice: refused ?? 'closed' }),
});

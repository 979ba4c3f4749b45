import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'withdraw_invitation',
  input: (fields) => ({ invitation_key: fields.get('invitation') ?? '' }),
  next: (_, refused) => ({ page: '/account', notice: refused ?? 'people_withdraw' }),
});

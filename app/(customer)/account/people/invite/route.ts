import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'invite_member',
  input: (fields) => ({ email: fields.get('email') ?? '', role: fields.get('role') ?? '' }),
  next: (_, refused) => ({ page: '/account', notice: refused ?? 'people_invite' }),
});

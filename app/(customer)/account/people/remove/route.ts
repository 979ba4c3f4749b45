import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'remove_member',
  input: (fields) => ({ member_key: fields.get('member') ?? '' }),
  next: (_, refused) => ({ page: '/account', notice: refused ?? 'people_remove' }),
});

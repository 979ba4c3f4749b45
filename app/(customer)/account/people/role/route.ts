import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'change_role',
  input: (fields) => ({ member_key: fields.get('member') ?? '', role: fields.get('role') ?? '' }),
  next: (_, refused) => ({ page: '/account', notice: refused ?? 'people_role' }),
});

import { canBuy } from '@/components/forms/GrantFields.tsx';
import { railNames } from '@/server/payments/contract.ts';
import { grantOf, typedQuery, valuesIn } from '../../grant-form.ts';
import { submit } from '../../submit.ts';

/** Problems that a person can fix in the form; after any other the request itself is gone. */
const mendable = ['validation_failed', 'fresh_sign_in_required'];

export const POST = submit({
  operation: 'decide_connection',
  input: (fields) => ({
    registration_key: fields.get('registration') ?? '',
    user_code: fields.get('code') ?? '',
    decision: fields.get('decision') ?? '',
    ...(fields.get('decision') === 'approve' ? { grant: grantOf(fields) } : {}),
  }),
  next(fields, refused) {
    if (refused === null) {
      const approved = canBuy(valuesIn(fields), railNames) ? 'approve' : 'approve_useless';
      return { page: '/connect', notice: fields.get('decision') === 'approve' ? approved : 'deny' };
    }
    const query = mendable.includes(refused) ? typedQuery(fields) : new URLSearchParams();
    query.set('code', fields.get('code') ?? '');
    return { page: `/connect?${query}`, notice: refused };
  },
});

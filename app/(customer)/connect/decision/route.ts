import { grantOf, typedAgain } from '../../grant-form.ts';
import { submit } from '../../submit.ts';

/** What a person can mend in the form; after anything else the request itself is gone. */
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
    if (refused === null) return `/connect?done=${fields.get('decision') === 'approve' ? 'approve' : 'deny'}`;
    const query = mendable.includes(refused) ? typedAgain(fields, refused) : new URLSearchParams({ refused });
    query.set('code', fields.get('code') ?? '');
    return `/connect?${query}`;
  },
});

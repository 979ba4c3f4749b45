import { grantOf, typedQuery } from '../../grant-form.ts';
import { submit } from '../../submit.ts';

export const POST = submit({
  operation: 'confirm',
  input: (fields) => ({
    link: fields.get('link') ?? '',
    decision: fields.get('decision') ?? '',
    // A form without limits, as of a program or the code's way, confirms what was asked.
    ...(fields.get('decision') === 'confirm' && fields.has('per_check') ? { grant: grantOf(fields) } : {}),
  }),
  // The link's page shows the result, whichever request decided.
  next(fields, refused) {
    const link = new URLSearchParams({ link: fields.get('link') ?? '' });
    if (refused === null) return `/confirm?${link}`;
    return { page: `/confirm?${link}&${typedQuery(fields)}`, notice: refused };
  },
});

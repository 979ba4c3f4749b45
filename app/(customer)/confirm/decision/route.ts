import { submit } from '../../submit.ts';

export const POST = submit({
  operation: 'confirm',
  input: (fields) => ({ link: fields.get('link') ?? '', decision: fields.get('decision') ?? '' }),
  // The link's page shows the result, whichever request decided.
  next: (fields) => `/confirm?${new URLSearchParams({ link: fields.get('link') ?? '' })}`,
});

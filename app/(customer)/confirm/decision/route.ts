import { submit } from '../../submit.ts';

export const POST = submit({
  operation: 'confirm',
  input: (fields) => ({ link: fields.get('link') ?? '', decision: fields.get('decision') ?? '' }),
  // The page of the link says how it stands, whether this request or another one decided it.
  next: (fields) => `/confirm?${new URLSearchParams({ link: fields.get('link') ?? '' })}`,
});

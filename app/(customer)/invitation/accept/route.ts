import { submit } from '../../submit.ts';

export const POST = submit({
  operation: 'accept_invitation',
  input: (fields) => ({ link: fields.get('link') ?? '' }),
  next: (fields) => `/invitation?${new URLSearchParams({ link: fields.get('link') ?? '' })}`,
});

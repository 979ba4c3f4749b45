import { submit } from '../../submit.ts';

export const POST = submit({
  operation: 'lift_silence',
  input: (fields) => ({ origin: fields.get('origin') ?? '' }),
  next: (_, refused) => (refused === null ? { page: '/account', notice: 'lifted' } : '/account'),
});

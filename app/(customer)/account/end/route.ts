import { submit } from '../../submit.ts';

/** Ends the sign-in that the form names, or all others of this member. */
export const POST = submit({
  operation: 'end_sessions',
  input: (fields) => (fields.has('session') ? { session_key: fields.get('session') } : {}),
  next: (_, refused) => (refused === null ? { page: '/account', notice: 'ended' } : '/account'),
});

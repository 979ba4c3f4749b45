import type { ProblemCode } from '@/server/kernel/problem.ts';
import { submit } from '../../submit.ts';
import { destinationOf } from '../destination.ts';

/** Why no letter goes out, where that says nothing about the address that was asked for. */
const endedBy: Partial<Record<ProblemCode, string>> = { registrations_closed: 'closed', rate_limited: 'limited' };

export const POST = submit({
  operation: 'sign_in_link',
  input: (fields) => ({ email: fields.get('email')?.trim() ?? '', next: destinationOf(fields.get('next')) }),
  // An address that cannot be one gets the same page: nothing here tells which addresses are known.
  next: (_, refused) => `/sign-in?asked=${(refused && endedBy[refused]) ?? 'sent'}`,
});

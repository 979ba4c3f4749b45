import { firstPage, ownPage } from '@/server/identity/destination.ts';
import type { ProblemCode } from '@/server/problems.ts';
import { submit } from '../../submit.ts';

/** Why no letter goes out, where that says nothing about the address that was asked for. */
const endedBy: Partial<Record<ProblemCode, string>> = { registrations_closed: 'closed', rate_limited: 'limited' };

export const POST = submit({
  operation: 'sign_in_link',
  input: (fields) => ({ email: fields.get('email')?.trim() ?? '', next: ownPage(fields.get('next')) ?? firstPage }),
  // An address that cannot be one gets the same page: nothing here tells which addresses are known.
  next: (_, refused) => ({ page: '/sign-in', notice: (refused && endedBy[refused]) ?? 'sent' }),
});

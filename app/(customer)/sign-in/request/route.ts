import { firstPage, ownPage } from '@/server/identity/destination.ts';
import type { ProblemCode } from '@/server/problems/catalogue.ts';
import { submit } from '../../submit.ts';

/** Why no letter is sent, where that reveals nothing about the address. */
const endedBy: Partial<Record<ProblemCode, string>> = { registrations_closed: 'closed', rate_limited: 'limited' };

export const POST = submit({
  operation: 'sign_in_link',
  input: (fields) => ({ email: fields.get('email')?.trim() ?? '', next: ownPage(fields.get('next')) ?? firstPage }),
  // An impossible address gets the same page: nothing reveals which addresses are known.
  next: (_, refused) => ({ page: '/sign-in', notice: (refused && endedBy[refused]) ?? 'sent' }),
});

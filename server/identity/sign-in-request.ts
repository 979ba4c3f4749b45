import { requireLetters } from '../availability/availability.ts';
import { newKey } from '../kernel/id.ts';
import { originOf } from '../operation/rate-limit.ts';
import type { Verb } from '../operation/verb.ts';
import { enqueueLetter } from '../queue/queue.ts';
import { firstPage, ownPage } from './destination.ts';
import type { IdentityLetter } from './letters.ts';
import type * as contract from './member-contract.ts';

/** Only the worker looks the address up: neither answer nor timing reveals whether it is known. */
export const signInLink: Verb<typeof contract.signInLink> = async ({ ctx, input, tx }) => {
  await requireLetters(ctx.runtime, ctx.now);
  enqueueLetter<IdentityLetter>(tx, ctx.runtime.queue, {
    kind: 'sign_in',
    request_key: newKey('req'),
    email: input.email,
    next: ownPage(input.next) ?? firstPage,
    origin: originOf(ctx),
  });
  return { body: { state: 'sent_if_known' } };
};

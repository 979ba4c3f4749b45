import { after } from '../kernel/clock.ts';
import type { Member, Operator } from '../operation/caller.ts';
import { Problem } from '../problems/problem.ts';
import { lasting, seconds } from '../service/terms.ts';

/**
 * Granting power and moving money need a recent sign-in: an open browser or borrowed phone may only take away and look.
 * Throws `fresh_sign_in_required`.
 */
export function requireFreshSignIn(
  { kind, signedInAt }: Member | Operator,
  now: Date,
  what = 'Giving an agent more power',
): void {
  if (isFresh({ signedInAt }, now)) return;
  const act = kind === 'operator' ? 'Moving money' : what;
  throw new Problem('fresh_sign_in_required', `${act} needs a sign-in within the last ${lasting('freshSignIn')}.`);
}

/** Whether the sign-in is recent enough. */
export function isFresh({ signedInAt }: Pick<Member | Operator, 'signedInAt'>, now: Date): boolean {
  return signedInAt === null || after(signedInAt, seconds.freshSignIn) > now;
}

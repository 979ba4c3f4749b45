import { cache } from 'react';
import { type MemberChange, memberMay } from '@/server/operation/member-roles.ts';
import { memberContext } from './member.ts';
import { readForMember } from './read.ts';

/** Whether the visitor may ask for an operation. */
type May = (operation: MemberChange) => boolean;

/**
 * What the visitor's role covers, from the table that the door holds; asked once per page. A wallet's owner is alone on
 * its account.
 */
export const visitorMay = cache(async (): Promise<May> => {
  const { ctx, wallet } = await memberContext();
  if (wallet !== null) return () => true;
  const people = await readForMember('people', ctx, {});
  const role = people?.members.find(({ you }) => you)?.role ?? 'reader';
  return (operation) => memberMay(role, operation);
});

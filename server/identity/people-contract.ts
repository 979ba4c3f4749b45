import { z } from 'zod';
import { memberRoles } from '../operation/member-roles.ts';
import { defineOperation } from '../operation/operation.ts';

/** The people of an account: their roles, and invitations (specification 4.11). Pure. */

const instant = z.iso.datetime();
const key = z.string().min(1).max(64);
const Role = z.enum(memberRoles);
/** An owner is made of a member, whose address is known to work. */
const InvitedRole = z.enum(['approver', 'reader']);

/** How long an invitation waits. */
export const invitationDays = 7;
export const peopleMax = 50;
export const invitationsMax = 20;
/** Letters of invitation in 24 hours: of one account, and to one address from all. */
export const invitedADay = { byAccount: 40, toAddress: 3 } as const;

const People = z
  .object({
    members: z
      .array(z.object({ member_key: key, email: z.string(), role: Role, since: instant, you: z.boolean() }))
      .max(peopleMax),
    invitations: z
      .array(z.object({ invitation_key: key, email: z.string(), role: InvitedRole, expires_at: instant }))
      .max(invitationsMax)
      .meta({ description: 'Those that wait for an answer.' }),
  })
  .meta({ id: 'People' });
export type People = z.infer<typeof People>;

export const people = defineOperation({
  name: 'people',
  summary: 'List the members of the account with their roles, and who is invited.',
  method: 'GET',
  path: '/api/agent/v1/members',
  audience: ['member'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: People,
  success: [200],
  problems: ['invalid_token'],
});

/** Acts on people answer with all of them. */
const act = {
  method: 'POST',
  audience: ['member'],
  effect: 'write',
  idempotency: 'none',
  output: People,
  success: [200],
} as const;

export const inviteMember = defineOperation({
  ...act,
  name: 'invite_member',
  summary: `Invite a person by letter, for ${invitationDays} days. Inviting an address again in another role replaces its invitation. Needs a fresh sign-in.`,
  path: '/api/agent/v1/members/invitations',
  input: z.strictObject({ email: z.email().max(254).toLowerCase(), role: InvitedRole }),
  problems: ['invalid_token', 'action_not_allowed', 'fresh_sign_in_required', 'registrations_closed'],
});

export const withdrawInvitation = defineOperation({
  ...act,
  name: 'withdraw_invitation',
  summary: 'Withdraw an invitation that was not accepted.',
  path: '/api/agent/v1/members/invitations/{invitation_key}/withdraw',
  input: z.strictObject({ invitation_key: key }),
  problems: ['invalid_token', 'not_found'],
});

export const changeRole = defineOperation({
  ...act,
  name: 'change_role',
  summary: 'Give a member another role, which needs a fresh sign-in. An account keeps an owner.',
  path: '/api/agent/v1/members/{member_key}/role',
  input: z.strictObject({ member_key: key, role: Role }),
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'fresh_sign_in_required'],
});

export const removeMember = defineOperation({
  ...act,
  name: 'remove_member',
  summary: 'Remove a member, or leave: sign-ins end at once, and what was decided stays. The last owner cannot leave.',
  path: '/api/agent/v1/members/{member_key}/remove',
  input: z.strictObject({ member_key: key }),
  problems: ['invalid_token', 'not_found', 'action_not_allowed', 'role_missing'],
});

const link = z.string().min(1).max(200);

const Invitation = z
  .object({
    state: z.enum(['open', 'accepted', 'withdrawn', 'expired']),
    email: z.string(),
    role: InvitedRole,
    invited_by: z.string(),
    expires_at: instant,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

/** Whoever has the letter's link acts without a session. */
const byLink = {
  method: 'POST',
  audience: ['public'],
  idempotency: 'none',
  limit: 'claims',
  input: z.strictObject({ link }),
  output: Invitation,
  success: [200],
  secret: true,
} as const;

export const invitation = defineOperation({
  ...byLink,
  name: 'invitation',
  summary: 'Read the invitation behind the link of a letter. Reading it accepts nothing.',
  path: '/api/agent/v1/invitations',
  effect: 'read',
  problems: ['not_found'],
});

export const acceptInvitation = defineOperation({
  ...byLink,
  name: 'accept_invitation',
  summary: 'Accept an invitation, once. It signs nobody in: the new member asks for a sign-in link.',
  path: '/api/agent/v1/invitations/accept',
  effect: 'write',
  problems: ['not_found', 'action_not_allowed'],
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent, Answer } from '../../e2e/support/agent.ts';
import { Customer, connectedAgent, newAgent } from '../../e2e/support/customer.ts';
import { linkOfInvited, Member } from '../../e2e/support/member.ts';
import { ask, type Subject, wellFormed } from '../../e2e/support/requests.ts';
import { startService } from '../../e2e/support/service.ts';
import { queueDueLetters } from '../mail/due-letters.ts';
import { problemsOf } from '../operation/operation.ts';
import { type OperationName, operations } from '../operations.ts';
import { invitationsMax } from './people-contract.ts';

const service = await startService();

let agent: Agent;
let owner: Member;
let key: string;

beforeEach(async () => {
  const connected = await connectedAgent(service);
  ({ agent } = connected);
  await agent.get('/api/agent/v1/me');
  owner = await Member.of(service, agent, connected.customer.email);
  key = connected.registration.body.agent_key;
});

const codes = (answers: Answer[]) => answers.map(({ status, body }) => [status, body.code]);
const accept = (link: string) => newAgent(service).post('/api/agent/v1/invitations/accept', { link });
const act = (by: Member, memberKey: string, what: string, body = {}) =>
  by.post(`/api/agent/v1/members/${memberKey}/${what}`, body);
const people = async () => (await owner.get('/api/agent/v1/members')).body;

/** Somebody who was invited in this role, and signed in. */
async function joined(role: string, name = role): Promise<Member> {
  const email = `${name}-${key.toLowerCase()}@example.com`;
  expect((await accept(await linkOfInvited(service, owner, { role, email }))).body.state).toBe('accepted');
  return Member.ofAccount(service, owner.accountKey, email);
}

describe('an invitation', () => {
  it('makes a member once accepted, and reading it accepts nothing', async () => {
    const link = await linkOfInvited(service, owner, { role: 'approver' });
    const read = await newAgent(service).post('/api/agent/v1/invitations', { link });
    expect(read.body).toMatchObject({ state: 'open', role: 'approver', invited_by: owner.email });
    expect((await people()).members).toHaveLength(1);
    const [first, second] = await Promise.all([accept(link), accept(link)]);
    expect([first.body.state, second.body.state]).toEqual(['accepted', 'accepted']);
    // It signs nobody in: no cookie of a session comes with it.
    expect(first.headers.get('set-cookie')).toBeNull();
    const { members, invitations } = await people();
    expect([members.map(({ role }: { role: string }) => role), invitations]).toEqual([['owner', 'approver'], []]);
  });

  it('ends by time, by withdrawal and by a newer one, and is not guessed', async () => {
    const email = `again-${key.toLowerCase()}@example.com`;
    const old = await linkOfInvited(service, owner, { email });
    const newer = await linkOfInvited(service, owner, { email, role: 'approver' });
    const { invitations } = await people();
    expect(invitations).toHaveLength(1);
    const guess = newer.replace(/[^.]+$/, (secret) => [...secret].toReversed().join(''));
    expect(codes([await accept(old), await accept(guess), await accept('invite_x.y')])).toEqual([
      [409, 'action_not_allowed'],
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    await owner.post(`/api/agent/v1/members/invitations/${invitations[0].invitation_key}/withdraw`);
    expect(codes([await accept(newer)])).toEqual([[409, 'action_not_allowed']]);
    const late = await linkOfInvited(service, owner);
    service.advanceClock(7 * 86_400 + 1);
    expect(codes([await accept(late)])).toEqual([[409, 'action_not_allowed']]);
  });

  it('is answered alike for known and unknown addresses, and needs a fresh sign-in', async () => {
    const other = await connectedAgent(service);
    const invite = (email: string) => owner.post('/api/agent/v1/members/invitations', { email, role: 'reader' });
    const [known, unknown] = [await invite(other.customer.email), await invite('nobody-at-all@example.com')];
    expect([known.status, known.body.invitations.length, unknown.status]).toEqual([200, 1, 200]);
    service.advanceClock(3_600);
    expect(codes([await invite('later@example.com')])).toEqual([[403, 'fresh_sign_in_required']]);
  });

  it('is no business of another account', async () => {
    await linkOfInvited(service, owner);
    const { invitations, members } = await people();
    const other = await connectedAgent(service);
    const stranger = await Member.of(service, other.agent, other.customer.email);
    const answers = [
      await stranger.post(`/api/agent/v1/members/invitations/${invitations[0].invitation_key}/withdraw`),
      await act(stranger, members[0].member_key, 'remove'),
      await act(stranger, members[0].member_key, 'role', { role: 'reader' }),
    ];
    expect(codes(answers)).toEqual(answers.map(() => [404, 'not_found']));
  });
});

describe('the letters about people', () => {
  it('tell every member who joined, whose role changed and who left, and who did it', async () => {
    const reader = await joined('reader');
    expect((await act(owner, reader.memberKey, 'role', { role: 'approver' })).status).toBe(200);
    expect((await act(owner, reader.memberKey, 'remove')).status).toBe(200);
    await queueDueLetters(service.runtime);
    const letters = await new Customer(service, owner.email).letters();
    const about = (subject: string) => letters.find((letter) => letter.subject === subject)?.text;
    expect(about('Somebody joined your account')).toMatch(
      new RegExp(`${reader.email} accepted an invitation[\\s\\S]*write to us at once: ${service.baseUrl}/contact`),
    );
    expect(about('The role of a member changed')).toContain(
      `${reader.email} was reader and is now approver. ${owner.email} did this.`,
    );
    expect(about('A member left your account')).toContain(
      `${reader.email} is no longer a member. ${owner.email} did this.`,
    );
  });
});

describe('a role', () => {
  it('lets an approver approve and pause, and leaves the rest to owners', async () => {
    const approver = await joined('approver');
    const refused = [
      await approver.post(`/api/agent/v1/agents/${key}/grant`, { daily_limit_microcents: 0 }),
      await approver.post(`/api/agent/v1/agents/${key}/revoke`),
      await approver.post('/api/agent/v1/members/invitations', { email: 'x@example.com', role: 'reader' }),
      await act(approver, owner.memberKey, 'remove'),
    ];
    expect(codes(refused)).toEqual(refused.map(() => [403, 'role_missing']));
    expect((await approver.post(`/api/agent/v1/agents/${key}/pause`, { paused: true })).status).toBe(200);
  });

  it('lets a reader read, and leave', async () => {
    const reader = await joined('reader');
    expect((await reader.get('/api/agent/v1/agents')).status).toBe(200);
    const job_key = await agent.authorizedJob();
    const refused = [
      await reader.post(`/api/agent/v1/agents/${key}/pause`, { paused: true }),
      await reader.post(`/api/agent/v1/jobs/${job_key}/review`, { decision: 'accept' }),
    ];
    expect(codes(refused)).toEqual(refused.map(() => [403, 'role_missing']));
    expect((await act(reader, reader.memberKey, 'remove')).status).toBe(200);
    expect(codes([await reader.get('/api/agent/v1/agents')])).toEqual([[401, 'invalid_token']]);
  });

  it('keeps an owner: the last one can neither leave nor step down, however many try at once', async () => {
    expect(
      codes([
        await act(owner, owner.memberKey, 'remove'),
        await act(owner, owner.memberKey, 'role', { role: 'reader' }),
      ]),
    ).toEqual([
      [409, 'action_not_allowed'],
      [409, 'action_not_allowed'],
    ]);
    const second = await joined('approver');
    expect((await act(owner, second.memberKey, 'role', { role: 'owner' })).status).toBe(200);
    const both = await Promise.all([act(owner, owner.memberKey, 'remove'), act(second, second.memberKey, 'remove')]);
    expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });

  it('ends with its member: no session, link or letter is left, and coming back takes a new invitation', async () => {
    const approver = await joined('approver');
    await act(owner, approver.memberKey, 'remove');
    expect(codes([await approver.get('/api/agent/v1/agents')])).toEqual([[401, 'invalid_token']]);
    expect((await people()).members).toHaveLength(1);
    expect((await joined('reader', 'approver')).memberKey).toBe(approver.memberKey);
    expect((await people()).members.map(({ role }: { role: string }) => role)).toEqual(['owner', 'reader']);
  });
});

it('sends nobody letter after letter, however often it is withdrawn and sent again', async () => {
  const email = `bombed-${key.toLowerCase()}@example.com`;
  const invite = () => owner.post('/api/agent/v1/members/invitations', { email, role: 'reader' });
  const statuses: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    statuses.push((await invite()).status);
    const { invitations } = await people();
    for (const { invitation_key } of invitations) {
      await owner.post(`/api/agent/v1/members/invitations/${invitation_key}/withdraw`);
    }
  }
  expect(statuses).toEqual([200, 200, 200, 409]);
});

describe('each role', () => {
  const held = (Object.keys(operations) as OperationName[]).filter((name) =>
    problemsOf(operations[name]).includes('role_missing'),
  );

  it('holds a reader to reading, whatever is asked for', async () => {
    const reader = await joined('reader');
    const about: Subject = {
      quote_key: 'quote_unknown',
      job_key: 'job_unknown',
      agent_key: key,
      source_key: 'source_unknown',
      endpoint_key: 'endpoint_unknown',
    };
    for (const name of held) {
      const input = name === 'remove_member' ? { member_key: owner.memberKey } : wellFormed[name](about);
      const { status, body } = await ask(reader, name, input);
      expect([name, status, body.code]).toEqual([name, 403, 'role_missing']);
    }
  });

  it('changes only after a fresh sign-in', async () => {
    const reader = await joined('reader');
    service.advanceClock(3_600);
    expect(codes([await act(owner, reader.memberKey, 'role', { role: 'approver' })])).toEqual([
      [403, 'fresh_sign_in_required'],
    ]);
  });

  it('is given to no more people than an account may invite', async () => {
    const invite = (at: number) =>
      owner.post('/api/agent/v1/members/invitations', {
        email: `many-${at}-${key.toLowerCase()}@example.com`,
        role: 'reader',
      });
    for (let at = 0; at < invitationsMax; at += 1) expect((await invite(at)).status).toBe(200);
    expect(codes([await invite(invitationsMax)])).toEqual([[409, 'action_not_allowed']]);
  });
});

import { describe, expect, it } from 'vitest';
import { Client } from '../../e2e/support/agent.ts';
import { Customer, claim, connectedAgent, newAgent, register } from '../../e2e/support/customer.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { confirmHere } from './confirm-here.ts';
import { pageContext } from './context.ts';

const service = await startService();
const { runtime } = service;

/** A browser at a page of the service, with this cookie. */
class Browser extends Client {
  readonly cookie: string;
  constructor(cookies: readonly string[] | null) {
    super(service.baseUrl);
    this.cookie = cookies?.[0]?.split(';')[0] ?? '';
  }
  identity = () => ({ cookie: this.cookie, origin: this.baseUrl });
}

const nobody = () => pageContext(runtime, null, '203.0.113.7');
const press = (link: string, decision = 'confirm', ctx = nobody()) =>
  confirmHere(ctx, { link, decision }, { browser: 'Firefox', marks: null });

async function asked(customer = new Customer(service)) {
  const registration = await register(newAgent(service), customer.email);
  return { customer, registration, ...(await customer.newestLetter()) };
}

async function sessionsOf({ email }: Customer): Promise<number> {
  const { rows } = await service.database.pool.query(
    'select count(*)::int from member_sessions join members using (member_key) where email = $1',
    [email],
  );
  return rows[0].count;
}

describe('whoever confirms behind the link of a letter', () => {
  it('is signed in as a sign-in link does it, and may stop the agent at once', async () => {
    const { customer, registration, link } = await asked();
    const cookies = await press(link);
    expect(cookies).toEqual([
      expect.stringMatching(/^work-check-member=[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^work-check-known=[^;]+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/),
    ]);
    const person = new Browser(cookies);
    const { body } = await person.get('/api/agent/v1/members/me');
    expect(body).toMatchObject({
      email: customer.email,
      sessions: [{ current: true, origin: '203.0.113.0/24', browser: 'Firefox' }],
    });
    const paused = await person.post(`/api/agent/v1/agents/${registration.body.agent_key}/pause`, { paused: true });
    expect(paused.status).toBe(200);
  });

  it('is signed in once, however often and from wherever the button is pressed', async () => {
    const { customer, link } = await asked();
    const cookies = await Promise.all(Array.from({ length: 5 }, () => press(link)));
    expect(cookies.filter((cookie) => cookie !== null)).toHaveLength(1);
    expect(await press(link)).toBeNull();
    expect(await sessionsOf(customer)).toBe(1);
  });

  it('is not signed in by a letter that was forwarded after its code was used', async () => {
    const { customer, registration, link, code } = await asked();
    expect((await claim(newAgent(service), registration, code)).status).toBe(200);
    expect([await press(link), await sessionsOf(customer)]).toEqual([null, 0]);
  });

  it('does not replace the session of anybody else, and the letter signs nobody in later', async () => {
    const { agent } = await connectedAgent(service);
    const other = await Member.of(service, agent);
    const { customer, registration, link } = await asked();
    expect(await press(link, 'confirm', other.pageContext())).toBeNull();
    expect((await other.get('/api/agent/v1/members/me')).body.email).toBe(other.email);
    expect((await claim(newAgent(service), registration)).status).toBe(200);
    expect([await press(link), await sessionsOf(customer)]).toEqual([null, 0]);
  });

  it('is signed in where a session has ended', async () => {
    const { agent } = await connectedAgent(service);
    const before = await Member.of(service, agent);
    await service.database.pool.query('update member_sessions set ended_at = now() where member_key = $1', [
      before.memberKey,
    ]);
    const { customer, link } = await asked();
    const person = new Browser(await press(link, 'confirm', before.pageContext()));
    expect((await person.get('/api/agent/v1/members/me')).body.email).toBe(customer.email);
  });

  it('is not signed in by declining, by a link that expired, or by a program', async () => {
    const declined = await asked();
    expect([await press(declined.link, 'decline'), await sessionsOf(declined.customer)]).toEqual([null, 0]);
    await expect(press(declined.link)).rejects.toMatchObject({ code: 'action_not_allowed' });
    const late = await asked();
    service.advanceClock(1_801);
    await expect(press(late.link)).rejects.toMatchObject({ code: 'registration_expired' });
    service.advanceClock(-1_801);
    const { customer, link } = await asked();
    const answer = await newAgent(service).post('/api/agent/v1/confirmations/decision', { link, decision: 'confirm' });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
    expect([await press(link), await sessionsOf(customer)]).toEqual([null, 0]);
  });
});

import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { newAgent, register } from '../../e2e/support/customer.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';

// Nothing listens on port 9 (discard).
const service = await startService({ X402_FACILITATOR_URL: 'http://127.0.0.1:9', SMTP_URL: '' });

const working = await startService({ STRIPE_SECRET_KEY: 'sk_test_x' });

describe('a service whose only rail cannot be reached', () => {
  it('says so where it is discovered, and sells nothing', async () => {
    const agent = await Agent.arrive(service);
    const { body: contract } = await agent.get('/api/agent/v1/services/svc_work_check');
    expect(contract.availability).toMatchObject({
      state: 'unavailable',
      purchasable_rails: [],
      reasons: ['no_payment_rail_available'],
      rails: { x402: { state: 'unavailable', reasons: ['facilitator_unreachable'] } },
    });
    const refused = await agent.quote();
    expect([refused.status, refused.body.code]).toEqual([503, 'service_unavailable']);
    expect(refused.body.reasons).toContain('no_payment_rail_available');
    expect(refused.headers.get('retry-after')).toBeTruthy();
  });
});

describe('a service that cannot send letters', () => {
  it('says that registrations are closed, and takes none in', async () => {
    const agent = newAgent(service);
    const { body: discovery } = await agent.get('/.well-known/svc');
    expect(discovery.registration.state).toBe('closed');
    const { body: contract } = await agent.get('/api/agent/v1/services/svc_work_check');
    expect(contract.availability.registrations).toEqual({ state: 'closed', reasons: ['registrations_closed'] });
    const refused = await register(agent, 'somebody@example.com');
    expect([refused.status, refused.body.code, refused.headers.has('retry-after')]).toEqual([
      503,
      'registrations_closed',
      false,
    ]);
    const signIn = await agent.post('/api/agent/v1/members/sign-in-link', { email: 'somebody@example.com' });
    expect([signIn.status, signIn.body.code]).toEqual([503, 'registrations_closed']);
    const { account_key } = (await (await Agent.arrive(service)).get('/api/agent/v1/me')).body;
    const owner = await Member.ofAccount(service, account_key, 'owner@example.com');
    const invited = await owner.post('/api/agent/v1/members/invitations', { email: 'a@example.com', role: 'reader' });
    expect([invited.status, invited.body.code]).toEqual([503, 'registrations_closed']);
  });
});

describe('a service that is switched off', () => {
  it.each([
    ['service', ['service_disabled', 'no_payment_rail_available']],
    ['x402', ['no_payment_rail_available']],
  ])('by the switch %s has no rail that can be paid over, and says so', async (name, reasons) => {
    const up = { pool: working.database.pool, agent: await Agent.arrive(working) };
    const { body: quote } = await up.agent.quote();
    await up.pool.query(
      `insert into switches (name, state, reason, actor, changed_at) values ($1, 'off', 'a test', 'test', now())`,
      [name],
    );
    try {
      const { body: contract } = await up.agent.get('/api/agent/v1/services/svc_work_check');
      expect(contract.availability).toMatchObject({ state: 'unavailable', purchasable_rails: [], reasons });
      for (const refused of [await up.agent.quote(), await up.agent.authorize(quote.quote_key)]) {
        expect([refused.status, refused.body.retryable]).toEqual([503, false]);
        expect(refused.body.reasons).toEqual(expect.arrayContaining(reasons));
      }
    } finally {
      await up.pool.query(`update switches set state = 'on'`);
    }
  });
});

describe('a rail that is half set up', () => {
  it('is not worth trying again', async () => {
    const agent = await Agent.arrive(working);
    const body = { rail: 'card', idempotency_key: 'one' };
    const refused = await agent.post(`/api/agent/v1/jobs/${await agent.authorizedJob()}/payments`, body);
    expect(refused.body).toMatchObject({
      code: 'service_unavailable',
      retryable: false,
      reasons: ['card_webhook_secret_missing'],
    });
    expect(refused.headers.get('retry-after')).toBeNull();
  });
});

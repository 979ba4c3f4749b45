import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { newAgent, register } from '../../e2e/support/customer.ts';
import { startService } from '../../e2e/support/service.ts';

// Nothing listens on port 9 (discard).
const service = await startService({ X402_FACILITATOR_URL: 'http://127.0.0.1:9', SMTP_URL: '' });

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
  });
});

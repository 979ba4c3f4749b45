import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { newAgent, register } from '../../e2e/support/customer.ts';
import { type HangingProxy, hangingProxy } from '../../e2e/support/hanging-proxy.ts';
import { startService } from '../../e2e/support/service.ts';
import { startModelServer } from '../../sandbox/model/server.ts';

const model = await startModelServer(0);
let providers: Record<'facilitator' | 'chain' | 'mail' | 'assessor', HangingProxy>;
const service = await startService(
  async (sandbox) => {
    providers = {
      facilitator: await hangingProxy(sandbox.facilitatorUrl),
      chain: await hangingProxy(sandbox.rpcUrls[84532]),
      mail: await hangingProxy(sandbox.smtpUrl),
      assessor: await hangingProxy(model.url),
    };
    return {
      X402_FACILITATOR_URL: providers.facilitator.url,
      X402_NETWORKS: 'eip155:84532',
      X402_RPC_URLS: `84532=${providers.chain.url}`,
      SMTP_URL: providers.mail.url,
      ASSESSOR_MODELS: 'compatible:sandbox',
      ASSESSOR_COMPATIBLE_URL: providers.assessor.url,
    };
  },
  { alone: true },
);
afterAll(async () => {
  for (const provider of Object.values(providers)) await provider.close();
  await model.close();
});
afterEach(() => {
  for (const provider of Object.values(providers)) provider.resume();
  vi.restoreAllMocks();
});

const reader = newAgent(service);
const contract = async () => (await reader.get('/api/agent/v1/services/svc_work_check')).body.availability;
/** All reasons in the document, wherever they are. */
const reasons = async () => {
  const { reasons: own, rails, registrations } = await contract();
  return [...own, ...rails.x402.reasons, ...registrations.reasons];
};

describe.each([
  ['facilitator', 'facilitator_unreachable'],
  ['chain', 'chain_unreachable'],
  ['mail', 'mail_unreachable'],
  ['assessor', 'assessor_unreachable'],
] as const)('a %s that hangs', (name, reason) => {
  it('holds nobody up, is missed with a reason of its own, and is found again', async () => {
    const agent = await Agent.arrive(service);
    await expect.poll(reasons, { timeout: 10_000 }).toEqual([]);
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const told = () => write.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(`"${reason}`));
    providers[name].hang();
    // The cached answer is stale now, so the provider is asked again.
    service.advanceClock(31);
    const answers = [await agent.quote(), await reader.get('/.well-known/svc')];
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
    // They were answered while that request was still open.
    expect(providers[name].waiting()).toBeGreaterThan(0);

    await expect.poll(reasons, { timeout: 10_000 }).toContain(reason);
    await agent.signIn();
    const refused = name === 'mail' ? await register(reader, 'somebody@example.com') : await agent.quote();
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
    for (let again = 0; again < 3; again += 1) {
      service.advanceClock(6);
      await reasons();
    }
    expect(told()).toHaveLength(1);

    providers[name].resume();
    service.advanceClock(6);
    await expect.poll(reasons, { timeout: 10_000 }).toEqual([]);
    expect(told()).toHaveLength(2);
  });
});

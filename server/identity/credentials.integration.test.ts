import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent, type Answer } from '../../e2e/support/agent.ts';
import { connectedAgent, newAgent } from '../../e2e/support/customer.ts';
import { startService } from '../../e2e/support/service.ts';

const service = await startService();

async function usedAgent(): Promise<Agent> {
  const { agent } = await connectedAgent(service);
  await agent.get('/api/agent/v1/me');
  return agent;
}
const rotate = (agent: Agent, body: Record<string, unknown> = {}): Promise<Answer> =>
  agent.post('/api/agent/v1/credentials/rotate', body);
const statusWith = async (token: string) => {
  const agent = newAgent(service);
  agent.token = token;
  return (await agent.get('/api/agent/v1/me')).status;
};

describe('rotation', () => {
  it('leaves the old credential until the new one has been in use for the grace', async () => {
    const agent = await usedAgent();
    const quote = await agent.quote();
    const rotated = await rotate(agent);
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const me = (await agent.get('/api/agent/v1/me')).body;
    expect(rotated.body.previous).toEqual({
      credential_key: me.credential.credential_key,
      valid_until: me.credential.expires_at,
    });
    service.advanceClock(800);
    expect(await statusWith(agent.token)).toBe(200);
    expect(await statusWith(rotated.body.credential)).toBe(200);
    service.advanceClock(890);
    // A later use does not postpone the end.
    expect(await statusWith(rotated.body.credential)).toBe(200);
    expect(await statusWith(agent.token)).toBe(200);
    service.advanceClock(11);
    expect(await statusWith(agent.token)).toBe(401);
    agent.token = rotated.body.credential;
    // The principal stays the same, with its purchases.
    expect((await agent.get(`/api/agent/v1/purchases/${quote.body.quote_key}`)).status).toBe(200);
  });

  it('whose answer is lost costs another rotation and no access', async () => {
    const agent = await usedAgent();
    const body = { idempotency_key: randomUUID() };
    const lost = await rotate(agent, body);
    const repeat = await rotate(agent, body);
    expect([repeat.status, repeat.body.code]).toEqual([410, 'credential_already_released']);
    expect(repeat.text).not.toContain('svc_agent_');
    const second = await rotate(agent);
    expect(second.status).toBe(201);
    expect(await statusWith(lost.body.credential)).toBe(401);
    expect(await statusWith(second.body.credential)).toBe(200);
  });

  it('ends every older credential at once when they are compromised', async () => {
    const agent = await usedAgent();
    const first = await rotate(agent);
    expect(await statusWith(first.body.credential)).toBe(200);
    const safe = newAgent(service);
    safe.token = first.body.credential;
    const { body } = await rotate(safe, { reason: 'compromised', grace_period_seconds: 86_400 });
    expect(await Promise.all([agent.token, safe.token, body.credential].map(statusWith))).toEqual([401, 401, 200]);
  });

  it('gives the old credential a day at most, used or not', async () => {
    const agent = await usedAgent();
    const rotated = await rotate(agent, { grace_period_seconds: 86_400 });
    service.advanceClock(600);
    expect(await statusWith(rotated.body.credential)).toBe(200);
    service.advanceClock(86_400 - 601);
    expect(await statusWith(agent.token)).toBe(200);
    service.advanceClock(1);
    expect(await statusWith(agent.token)).toBe(401);
    for (const grace_period_seconds of [-1, 86_401, 0.5]) {
      expect((await rotate(agent, { grace_period_seconds })).status).toBe(401);
      agent.token = rotated.body.credential;
      expect((await rotate(agent, { grace_period_seconds })).status).toBe(422);
      agent.token = '';
    }
  });

  it('of a hundred at once leaves one new credential', async () => {
    const agent = await usedAgent();
    const answers = await Promise.all(Array.from({ length: 100 }, () => rotate(agent)));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const statuses = await Promise.all(answers.map(({ body }) => statusWith(body.credential)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('and an emergency at the same time end in one live credential, never in the leaked one', async () => {
    const agent = await usedAgent();
    await Promise.all([rotate(agent), rotate(agent, { reason: 'compromised' }), rotate(agent)]);
    expect(await statusWith(agent.token)).toBe(401);
  });
});

describe('a wallet session', () => {
  it('cannot be rotated', async () => {
    const agent = await Agent.arrive(service);
    const refused = await rotate(agent);
    expect([refused.status, refused.body.code]).toEqual([409, 'action_not_allowed']);
  });

  it('ends when it signs out, and the wallet finds everything again', async () => {
    const agent = await Agent.arrive(service);
    const quote = await agent.quote();
    const left = await agent.send('DELETE', '/api/x402/v1/wallets/session');
    expect([left.status, left.body.state]).toEqual([200, 'signed_out']);
    const again = await agent.send('DELETE', '/api/x402/v1/wallets/session');
    expect([again.status, again.body.code]).toEqual([401, 'invalid_token']);
    await agent.signIn();
    expect((await agent.get(`/api/agent/v1/purchases/${quote.body.quote_key}`)).status).toBe(200);
  });

  it('is what is signed out: an agent credential is not', async () => {
    const agent = await usedAgent();
    const refused = await agent.send('DELETE', '/api/x402/v1/wallets/session');
    expect([refused.status, refused.body.code]).toEqual([409, 'action_not_allowed']);
  });
});

describe('a wallet signs in', () => {
  const challenge = (agent: Agent, format?: string) =>
    agent.post('/api/x402/v1/wallets/challenge', { address: agent.wallet.address, ...(format ? { format } : {}) });
  const verify = (agent: Agent, { body }: Answer, signature: string) =>
    agent.post('/api/x402/v1/wallets/verify', { challenge_key: body.challenge_key, signature });

  it('with a message in either format, for the host of the service alone, and once', async () => {
    for (const format of ['siwe', 'legacy']) {
      const agent = await Agent.arrive(service);
      const asked = await challenge(agent, format);
      expect(asked.body.message).toContain(new URL(service.baseUrl).host);
      expect(asked.body.message).toContain(asked.body.nonce);
      expect(asked.body.message.includes('wants you to sign in')).toBe(format === 'siwe');
      const signature = await agent.wallet.signMessage({ message: asked.body.message });
      expect((await verify(agent, asked, signature)).status).toBe(200);
      expect((await verify(agent, asked, signature)).body.code).toBe('challenge_expired');
      const late = await challenge(agent, format);
      const lateSignature = await agent.wallet.signMessage({ message: late.body.message });
      service.advanceClock(300);
      expect((await verify(agent, late, lateSignature)).body.code).toBe('challenge_expired');
    }
  });

  it('not as a contract, which is refused by name', async () => {
    const agent = await Agent.arrive(service);
    const signature = await agent.wallet.signMessage({ message: (await challenge(agent)).body.message });
    // ERC-6492 wraps the signature of a contract; ERC-1271 takes any bytes.
    for (const contract of [`${signature}${'6492'.repeat(16)}`, `0x${'ab'.repeat(200)}`]) {
      const refused = await verify(agent, await challenge(agent), contract);
      expect([refused.status, refused.body.code]).toEqual([422, 'contract_wallet_unsupported']);
    }
  });

  it('not with the signature of another message or key, and not with a reworked one', async () => {
    const [agent, other] = [await Agent.arrive(service), await Agent.arrive(service)];
    const asked = await challenge(agent);
    const message: string = asked.body.message;
    const wrong = [
      await other.wallet.signMessage({ message }),
      await agent.wallet.signMessage({ message: `${message} ` }),
      await agent.wallet.signMessage({ message: message.replace(new URL(service.baseUrl).host, 'evil.example') }),
      highS(await agent.wallet.signMessage({ message })),
      '0x',
      `0x${'00'.repeat(65)}`,
    ];
    for (const signature of wrong) {
      const refused = await verify(agent, asked, signature);
      expect([refused.status, refused.body.code]).toEqual([401, 'signature_invalid']);
    }
    expect((await verify(agent, asked, await agent.wallet.signMessage({ message }))).status).toBe(200);
  });

  it('once of a hundred parallel tries with one signature', async () => {
    const agent = await Agent.arrive(service);
    const asked = await challenge(agent);
    const signature = await agent.wallet.signMessage({ message: asked.body.message });
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify(agent, asked, signature)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

/** The other signature that the same key and message have (EIP-2): s mirrored, v flipped. */
function highS(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = order - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}`;
}

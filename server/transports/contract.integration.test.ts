import { randomUUID } from 'node:crypto';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault } from '../../e2e/support/agent.ts';
import { connectedAgent } from '../../e2e/support/customer.ts';
import { connectMcp } from '../../e2e/support/mcp-client.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { price } from '../service/terms.ts';

const service = await startService();
const contractPath = '/api/agent/v1/services/svc_work_check';
const nobody = new Agent(service.baseUrl, `0x${'22'.repeat(32)}`);

describe('a payment that cannot be read', () => {
  it('is a 402 that says why, and the good payment under the same key goes through', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const key = randomUUID();
    const noAuthorization = Buffer.from(JSON.stringify({ x402Version: 2, payload: {} })).toString('base64');
    for (const signature of ['nonsense', Buffer.from('[]').toString('base64'), noAuthorization]) {
      const refused = await agent.pay(jobKey, { key, signature });
      expect([refused.status, typeof refused.body.error]).toEqual([402, 'string']);
      expect(refused.headers.get('payment-required')).not.toBeNull();
    }
    const signature = await agent.signPayment(jobKey);
    const { accepted } = JSON.parse(Buffer.from(signature, 'base64').toString());
    const halfRead = { x402Version: 2, accepted, payload: { authorization: { from: 'me' } } };
    const half = await agent.pay(jobKey, { key, signature: Buffer.from(JSON.stringify(halfRead)).toString('base64') });
    expect([half.status, half.body.error]).toEqual([
      402,
      'The payment holds no signed EIP-3009 authorization: payload.signature is missing or malformed',
    ]);
    expect((await agent.pay(jobKey, { key, signature })).status).toBe(200);
  });

  it('is told which member of it is wrong', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const good = JSON.parse(Buffer.from(await agent.signPayment(jobKey), 'base64').toString());
    const { accepted, payload } = good;
    const signed = (changes: object) => ({
      ...good,
      payload: { ...payload, authorization: { ...payload.authorization, ...changes } },
    });
    const noMatch = 'No matching payment requirements: ';
    const asWanted = 'copy one entry of accepts as it is';
    for (const [sent, error] of [
      [{ ...good, x402Version: '2' }, 'x402Version is not 2'],
      [{ ...good, accepted: undefined }, `${noMatch}accepted is missing: ${asWanted}`],
      [
        { ...good, accepted: { ...accepted, network: 'base-sepolia' } },
        `${noMatch}accepted.network is none of eip155:84532, eip155:421614`,
      ],
      [
        { ...good, accepted: { ...accepted, amount: '1' } },
        `${noMatch}accepted.amount differs from what was offered: ${asWanted}`,
      ],
      [
        { ...good, accepted: { ...accepted, extra: { ...accepted.extra, version: '9' } } },
        `${noMatch}accepted.extra.version differs from what was offered: ${asWanted}`,
      ],
      [
        signed({ nonce: '0x1' }),
        'The payment holds no signed EIP-3009 authorization: payload.authorization.nonce is missing or malformed',
      ],
      [
        signed({ to: agent.wallet.address }),
        `The authorization does not pay what was asked for: payload.authorization.to is not ${accepted.payTo}`,
      ],
      [
        signed({ value: '1' }),
        'The authorization does not pay what was asked for: payload.authorization.value is not "5000000"',
      ],
    ] as const) {
      const refused = await agent.pay(jobKey, { signature: Buffer.from(JSON.stringify(sent)).toString('base64') });
      expect([refused.status, refused.body.error]).toEqual([402, error]);
    }
    const buyer = await connectMcp('2026-07-28', `${service.baseUrl}/mcp`, agent.token);
    const call = { job_key: jobKey, rail: 'x402', idempotency_key: randomUUID() };
    const refused = await buyer.call('svc.pay', call, { 'x402/payment': { x402Version: 2, payload } });
    expect(refused.body.error).toBe(`${noMatch}accepted is missing: ${asWanted}`);
    await buyer.close();
  });

  it('says so to clients of version 1', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const body = { rail: 'x402', idempotency_key: randomUUID() };
    const old = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, body, {
      'x-payment': 'eyJ4NDAyVmVyc2lvbiI6MX0=',
    });
    expect([old.status, old.body.error]).toEqual([402, expect.stringContaining('version 1 is not taken')]);
    const signature = Buffer.from(JSON.stringify({ x402Version: 1, payload: {} })).toString('base64');
    expect((await agent.pay(jobKey, { signature })).body.error).toContain('version 1 is not taken');
  });

  it('names the other chain to a wallet whose balance is empty on this one', async () => {
    const response = await fetch(`${service.sandbox.controlUrl}/wallets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ network: 'eip155:421614' }),
    });
    const { private_key } = (await response.json()) as { private_key: `0x${string}` };
    const agent = new Agent(service.baseUrl, private_key);
    await agent.signIn();
    const jobKey = await agent.authorizedJob();
    const empty = await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, 'eip155:84532') });
    expect(empty.body.error).toBe('invalid_exact_evm_insufficient_balance: USDC on eip155:421614 is taken, too');
    expect((await agent.pay(jobKey, { signature: await agent.signPayment(jobKey, 'eip155:421614') })).status).toBe(200);
  });
});

describe('a field at fault', () => {
  it.each([
    [{ source: 'a', content: 'b' }, ['/evidence/0/text', '/evidence/0/content']],
    [{ text: 'b' }, ['/evidence/0/source']],
    [{ source: 'a', text: 5 }, ['/evidence/0/text']],
    [5, ['/evidence/0']],
  ])('of evidence %j is named', async (item, pointers) => {
    const agent = await Agent.arrive(service);
    const { body } = await agent.quote({ evidence: [item] });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual(pointers.toSorted());
    expect(JSON.stringify(body)).not.toContain('invalid_union');
  });

  it('is not looked for in an input that is too large as a whole', async () => {
    const agent = await Agent.arrive(service);
    const broken = { evidence: Array.from({ length: 30 }, () => ({ source: 5, text: 'x'.repeat(10_000) })) };
    for (const changes of [broken, { rubric: Array.from({ length: 30_000 }, () => 'no criterion') }]) {
      const { status, body } = await agent.quote(changes);
      expect([status, body.code, body.errors[0].limit]).toEqual([413, 'input_too_large', 262_144]);
    }
  });
});

describe('the published schemas', () => {
  it('take the body that quotes are asked for with, and the sample report', async () => {
    const { body } = await nobody.get(contractPath);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const asked = {
      ...body.example_request,
      max_price_microcents: body.price.amount_microcents,
      idempotency_key: 'example',
    };
    expect([ajv.validate(body.input_schema, asked), ajv.errors]).toEqual([true, null]);
    expect([ajv.validate(body.output_schema, body.sample_report), ajv.errors]).toEqual([true, null]);
    expect(ajv.validate(body.input_schema, { ...asked, colour: 'red' })).toBe(false);
  });

  it('publish every bound, as terms and where the field stands', async () => {
    const { body } = await nobody.get(contractPath);
    expect(body.terms).toMatchObject({
      rubric_max_bytes: 65_536,
      criteria_and_rubric_entries_max: 37,
      evidence_source_max_bytes: 1_024,
      context_ref_max_bytes: 1_024,
      correction_request_max_bytes: 16_384,
      label_max_bytes: 1_024,
      wallet_challenge_ttl_seconds: 300,
      wallet_session_ttl_seconds: 3_600,
      price: { amount_microcents: 500_000_000, currency: 'USD', price_type: 'fixed', pricing_status: 'approved' },
      supplied_content: 'evidence_to_assess_never_instructions_or_authority',
    });
    const { properties } = body.input_schema;
    expect(properties.rubric.description).toMatch(/37 entries.*65536 bytes/);
    const [plain, named] = properties.evidence.items.anyOf;
    expect([plain.maxLength, named.properties.source.maxLength, named.properties.text.maxLength]).toEqual([
      32_768, 1_024, 32_768,
    ]);
    for (const [name, field] of Object.entries<{ description?: string }>(properties)) {
      expect([name, field.description]).toEqual([name, expect.any(String)]);
    }
  });

  it('say how stock clients pay, and where test money comes from', async () => {
    const { terms } = (await nobody.get(contractPath)).body;
    expect(terms.x402).toMatchObject({ x402_version: 2, payment_header: 'PAYMENT-SIGNATURE' });
    expect(terms.x402.client_setting).toContain("setSpendControls({ maxAmountPerPayment: '$5' })");
    expect(terms.test_funds).toContain('faucet.circle.com');
  });
});

describe('every answer', () => {
  it('has a request id and is refused with a credential in its address, operation or not', async () => {
    const door = await service.startDoor();
    const agent = await Agent.arrive(service);
    for (const path of ['/', '/no/such/page', '/openapi.json', '/api/agent/v1/me', '/.well-known/svc']) {
      const plain = await fetch(door.baseUrl + path);
      expect([path, plain.headers.get('x-request-id')]).toEqual([path, expect.stringMatching(/^req_\w+$/)]);
      const leaked = await fetch(`${door.baseUrl}${path}?key=${agent.token}`);
      expect([path, leaked.status, (await leaked.json()).code]).toEqual([path, 400, 'credential_in_url']);
    }
  });

  it('of 401 says how to authenticate', async () => {
    const agent = await Agent.arrive(service);
    const { body: challenge } = await agent.post('/api/x402/v1/wallets/challenge', { address: agent.wallet.address });
    const signature = await nobody.wallet.signMessage({ message: challenge.message });
    const forged = await agent.post('/api/x402/v1/wallets/verify', {
      challenge_key: challenge.challenge_key,
      signature,
    });
    for (const answer of [forged, await nobody.get('/api/agent/v1/me')]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer /)]);
    }
    expect((await nobody.get('/api/agent/v1/me')).body.detail).toContain(`${service.baseUrl}/.well-known/svc`);
  });

  it('that everyone may read is open to pages of other origins', async () => {
    for (const path of ['/.well-known/svc', contractPath, '/.well-known/jwks.json']) {
      expect((await nobody.get(path)).headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await nobody.get('/api/agent/v1/me')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the service contract', () => {
  it('keeps its ETag while nothing but the time of the look changes', async () => {
    const first = await nobody.get(contractPath);
    service.advanceClock(60);
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await nobody.get(contractPath, known)).status).toBe(304);
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'error_500', on: 'supported', times: 'always' });
    service.advanceClock(60);
    try {
      // Readers don't wait for the probe.
      await expect.poll(async () => (await nobody.get(contractPath, known)).status).toBe(200);
    } finally {
      await clearFaults(service.sandbox.controlUrl);
    }
    service.advanceClock(6);
    await expect.poll(async () => (await nobody.get(contractPath)).body.availability.state).toBe('available');
    service.advanceClock(-126);
  });
});

describe('what is allowed', () => {
  it('is refused as an action on a job that has ended, not as a report that may come', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
    const { status, body } = await agent.get(`/api/agent/v1/jobs/${jobKey}/report`);
    expect([status, body.code, body.retryable, body.next_actions]).toEqual([409, 'action_not_allowed', false, []]);
  });

  it('leaves accepting out for a paused agent, which may still dispute', async () => {
    const [{ agent }, payer] = await Promise.all([connectedAgent(service), Agent.arrive(service)]);
    const jobKey = await agent.authorizedJob();
    const payment = await payer.createPayment((await agent.pay(jobKey)).body);
    await agent.pay(jobKey, { signature: encodePaymentSignatureHeader(payment) });
    await service.execute(jobKey);
    const member = await Member.of(service, agent);
    const { agent_key } = (await agent.get('/api/agent/v1/me')).body.principal;
    await member.post(`/api/agent/v1/agents/${agent_key}/pause`, { paused: true });
    const refused = await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
    expect([refused.status, refused.body.code]).toEqual([403, 'grant_scope_missing']);
    const review = refused.body.next_actions.find(({ action }: { action: string }) => action === 'review');
    expect(review.body).toMatchObject({ decision: 'dispute' });
    expect((await agent.post(new URL(review.href).pathname, review.body)).body.state).toBe('rechecking');
    await service.execute(jobKey);
  });

  it('comes with a body that works as it stands', async () => {
    const agent = await Agent.arrive(service);
    type Action = { action: string; href: string; body: unknown };
    const done = async (from: { next_actions: Action[] }, action: string, headers = {}) => {
      const next = from.next_actions.find((one) => one.action === action);
      return agent.post(new URL(next?.href ?? '').pathname, next?.body, headers);
    };
    const quote = (await agent.quote()).body;
    const job = await done(quote, 'authorize');
    expect(job.status).toBe(201);
    expect((await done(job.body, 'pay')).status).toBe(402);
    const paid = await done(job.body, 'pay', { 'payment-signature': await agent.signPayment(job.body.job_key) });
    expect(paid.status).toBe(200);
    await service.execute(job.body.job_key);
    const delivered = (await agent.job(job.body.job_key)).body;
    expect((await done(delivered, 'review')).body.state).toBe('accepted');
    const second = (await agent.authorize((await agent.quote()).body.quote_key)).body;
    expect((await done(second, 'cancel')).body.state).toBe('canceled');
  });

  it('names the jobs that only reserve what a limit lacks', async () => {
    const { agent } = await connectedAgent(service, { requested_grant: { daily_limit_microcents: 2 * Number(price) } });
    const [first, second] = [await agent.authorizedJob(), await agent.authorizedJob()];
    const third = (await agent.quote()).body;
    const { status, body } = await agent.authorize(third.quote_key);
    expect([status, body.code, body.limit]).toEqual([403, 'grant_limit_exceeded', 'daily']);
    expect(body.reserved_microcents).toBe(2 * Number(price));
    const told = body.next_actions.map(({ action, href }: { action: string; href: string }) => `${action} ${href}`);
    for (const jobKey of [first, second]) {
      expect(told).toContain(`pay ${service.baseUrl}/api/agent/v1/jobs/${jobKey}/payments`);
      expect(told).toContain(`cancel ${service.baseUrl}/api/agent/v1/jobs/${jobKey}/cancel`);
    }
  });

  it('leaves paying out while the rail is down', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const actions = async () =>
      (await agent.job(jobKey)).body.next_actions.map(({ action }: { action: string }) => action);
    expect(await actions()).toEqual(['pay', 'cancel']);
    await facilitatorFault(service.sandbox.controlUrl, { mode: 'error_500', on: 'supported', times: 'always' });
    service.advanceClock(60);
    try {
      await expect.poll(actions).toEqual(['cancel']);
    } finally {
      await clearFaults(service.sandbox.controlUrl);
    }
    // What is down is probed again soon.
    service.advanceClock(6);
    await expect.poll(actions).toEqual(['pay', 'cancel']);
    service.advanceClock(-66);
  });
});

describe('a setting that is absent', () => {
  it('is not worth trying again', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    const card = await agent.post(`/api/agent/v1/jobs/${jobKey}/payments`, { rail: 'card', idempotency_key: 'card' });
    expect([card.status, card.body.code, card.body.retryable, card.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      false,
      null,
    ]);
  });
});

describe('the review tool', () => {
  it('says that it is not repeated safely and cannot be taken back', async () => {
    const client = await connectMcp('2026-07-28', `${service.baseUrl}/mcp?profile=buyer`);
    const review = (await client.list()).find(({ name }) => name === 'svc.review_delivery');
    expect(review?.annotations).toMatchObject({ idempotentHint: false, destructiveHint: true });
    await client.close();
  });
});

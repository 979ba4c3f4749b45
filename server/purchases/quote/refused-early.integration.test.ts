import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { problems } from '../../problems/catalogue.ts';
import { unsupportedWorkKinds } from '../../work-check/contract.ts';

const service = await startService();

describe('a check that is not offered', () => {
  it.each(unsupportedWorkKinds)('is refused by its kind, %s, in whichever field', async (name) => {
    const agent = await Agent.arrive(service);
    for (const field of ['work_kind', 'kind']) {
      const refused = await agent.quote({ [field]: name });
      expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
        422,
        'unsupported_work_kind',
        `/${field}`,
      ]);
    }
    expect((await agent.quote({ kind: `${name.replaceAll('_', ' ')} ` })).body.code).toBe('unsupported_work_kind');
    expect((await agent.quote({ kind: `notes on ${name}` })).status).toBe(201);
  });

  it.each([
    [['https://example.com/report.pdf'], '/evidence/0'],
    [['A text.', { source: 'the filing', text: ' www.example.com/a \n' }], '/evidence/1/text'],
    [[{ source: 'a', text: 'https://example.com/a\ns3://bucket/key' }], '/evidence/0/text'],
    [['<https://example.com>'], '/evidence/0'],
  ])('has evidence that is only an address: %j', async (evidence, pointer) => {
    const agent = await Agent.arrive(service);
    const refused = await agent.quote({ evidence });
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(refused.body.errors).toEqual([expect.objectContaining({ pointer, code: 'url_not_fetched' })]);
    expect((await agent.quote({ evidence: ['It is at https://example.com/a.'] })).status).toBe(201);
  });
});

describe('an expected_schema that could not be applied', () => {
  it.each([
    { type: 'strng' },
    { properties: { a: { minimum: 'one' } } },
    { $ref: '#/$defs/nothing' },
    { $ref: 'https://example.com/schema.json' },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'object' },
  ])('is refused at the quote: %j', async (expected_schema) => {
    const agent = await Agent.arrive(service);
    const idempotency_key = randomUUID();
    const refused = await agent.quote({ idempotency_key, expected_schema });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/expected_schema', code: 'unusable_schema' })],
    ]);
    const usable = {
      $defs: { 'a/b': { type: 'string' } },
      type: 'object',
      properties: { a: { $ref: '#/$defs/a~1b' } },
    };
    expect((await agent.quote({ idempotency_key, expected_schema: usable })).status).toBe(201);
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] };
    expect((await agent.quote({ expected_schema: draft07 })).status).toBe(201);
  });
});

describe('a key', () => {
  const key = () => ({ idempotency_key: randomUUID() });

  it('is free again when the request broke a rule of its input, for each operation that takes one', async () => {
    const agent = await Agent.arrive(service);
    const quoting = key();
    for (const wrong of [{ evidence: [] }, { kind: 'certification' }, { colour: 'red' }]) {
      expect((await agent.quote({ ...quoting, ...wrong })).status).toBe(422);
    }
    const quote = await agent.quote(quoting);
    expect(quote.status).toBe(201);
    const authorize = `/api/agent/v1/purchases/${quote.body.quote_key}/authorize`;
    const authorizing = key();
    expect((await agent.post(authorize, { ...authorizing, terms_version: 1 })).status).toBe(422);
    const { terms_version } = quote.body;
    const job = await agent.post(authorize, { ...authorizing, terms_version });
    expect(job.status).toBe(201);
    const pay = `/api/agent/v1/jobs/${job.body.job_key}/payments`;
    const paying = key();
    for (const wrong of [{ rail: 'cash' }, { rail: 'x402', method: 'card_saved' }, { rail: 'x402', network: 'x' }]) {
      expect((await agent.post(pay, { ...paying, ...wrong })).status).toBe(422);
    }
    expect((await agent.post(pay, { ...paying, rail: 'x402' })).status).toBe(402);
    // From here on it is taken, by whatever else comes.
    for (const other of [{ rail: 'cash' }, { rail: 'x402', network: 'eip155:84532' }]) {
      expect((await agent.post(pay, { ...paying, ...other })).body.code).toBe('idempotency_key_conflict');
    }
    expect((await agent.quote({ ...quoting, evidence: [] })).body.code).toBe('idempotency_key_conflict');
    for (const way of [`${pay}/cancel`, `/api/agent/v1/jobs/${job.body.job_key}/cancel`]) {
      const canceling = key();
      await agent.post(way, canceling);
      expect((await agent.post(way, { ...canceling, because: 'x' })).body.code).toBe('idempotency_key_conflict');
    }
  });

  it("stays taken by a verb's own refusal, which is repeated", async () => {
    const agent = await Agent.arrive(service);
    const quoting = key();
    const refused = await agent.quote({ ...quoting, max_price_microcents: 1 });
    expect(refused.body.code).toBe('price_above_max');
    const again = await agent.quote({ ...quoting, max_price_microcents: 1 });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([refused.text, 'true']);
    expect((await agent.quote(quoting)).body.code).toBe('idempotency_key_conflict');
  });
});

describe('a refusal', () => {
  it('says what to do next, at the door and behind it', async () => {
    const agent = await Agent.arrive(service);
    const nobody = new Agent(service.baseUrl, `0x${'22'.repeat(32)}`);
    const refusals = [
      await agent.quote({ evidence: [] }),
      await agent.quote({ max_price_microcents: 1 }),
      await nobody.get('/api/agent/v1/me'),
      await agent.get('/api/agent/v1/jobs/job_of_another'),
      await agent.get('/api/agent/v1/checks'),
      await agent.send('POST', '/api/agent/v1/checks', '{', { 'content-type': 'application/json' }),
    ];
    expect(new Set(refusals.map(({ body }) => body.code)).size).toBe(refusals.length);
    for (const { body } of refusals) expect(body.next_step).toBe(problems[body.code as keyof typeof problems].next);
  });
});

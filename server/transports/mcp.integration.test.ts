import { randomUUID } from 'node:crypto';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../e2e/support/agent.ts';
import { clientKinds, connectMcp, type McpClient, type ToolAnswer } from '../../e2e/support/mcp-client.ts';
import { startService } from '../../e2e/support/service.ts';
import { toText } from '../kernel/money.ts';
import { price, service as terms } from '../service/terms.ts';
import { embeddedAssessor } from '../work-check/assessors/embedded.ts';
import { checkWork } from '../work-check/check.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService();
const address = `${service.baseUrl}/mcp?profile=buyer`;

/** Specification 13.1. */
const interfaceTools = [
  'svc.whoami',
  'svc.check_work',
  'svc.purchase_status',
  'svc.authorize_purchase',
  'svc.pay',
  'svc.cancel_payment',
  'svc.get_report',
  'svc.review_delivery',
  'svc.get_receipt',
  'svc.cancel_job',
];

/** What a call needs besides its subject's key. */
const callArguments: Record<string, Record<string, unknown>> = {
  'svc.authorize_purchase': { terms_version: terms.termsVersion },
  'svc.pay': { rail: 'x402', idempotency_key: 'a payment of another' },
  'svc.review_delivery': { decision: 'accept' },
};

const quoteArguments = (changes: Record<string, unknown> = {}) => ({
  ...exampleRequest,
  max_price_microcents: Number(price),
  idempotency_key: randomUUID(),
  ...changes,
});

describe.each(clientKinds)('a client of the kind "%s"', (kind) => {
  let agent: Agent;
  let buyer: McpClient;
  beforeAll(async () => {
    agent = await Agent.arrive(service);
    buyer = await connectMcp(kind, address, agent.token);
    // From here on the client checks every answer against the listed schema.
    await buyer.list();
  });
  afterAll(() => buyer.close());

  it('speaks its own revision and is shown the tools without a credential', async () => {
    const stranger = await connectMcp(kind, address);
    expect(stranger.version()).toMatch(kind === '2026-07-28' ? /^2026-07-28$/ : /^2025-/);
    const tools = await stranger.list();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(interfaceTools);
    const { body } = await agent.get('/.well-known/svc');
    expect(body.mcp).toEqual({ tools: names, url: address });
    await stranger.close();
  });

  it('is told at once to sign in, when it calls without a credential', async () => {
    const stranger = await connectMcp(kind, address);
    await expect(stranger.call('svc.whoami')).rejects.toThrow(/No valid credential came with the request/);
    await stranger.close();
  });

  it('buys a check from quote to receipt, and pays for it in the metadata of the call', async () => {
    const quote = await buyer.call('svc.check_work', quoteArguments());
    expect(quote.body).toMatchObject({ state: 'open', price: { amount_microcents: 500_000_000 } });
    expect(quote.texts[0]).toContain('svc.authorize_purchase');
    const { quote_key } = quote.body;
    const authorized = await buyer.call('svc.authorize_purchase', { quote_key, terms_version: terms.termsVersion });
    const { job_key } = authorized.body;
    expect((await buyer.call('svc.purchase_status', { quote_key })).body.job_key).toBe(job_key);

    const payment = { job_key, rail: 'x402', idempotency_key: randomUUID() };
    const unpaid = await buyer.call('svc.pay', payment);
    expect(unpaid.isError).toBe(true);
    expect(unpaid.body).toMatchObject({ x402Version: 2, accepts: [{ amount: '5000000' }, { amount: '5000000' }] });
    expect(JSON.parse(unpaid.texts[0] ?? '')).toEqual(unpaid.body);
    const signed = await agent.createPayment(unpaid.body);
    const paid = await buyer.call('svc.pay', payment, { 'x402/payment': signed });
    expect(paid.body).toMatchObject({ job_key, state: 'queued', payment_state: 'collected' });
    expect(paid.meta['x402/payment-response']).toMatchObject({
      success: true,
      payer: agent.wallet.address.toLowerCase(),
    });
    const repeated = await buyer.call('svc.pay', payment, { 'x402/payment': signed });
    expect(repeated.body).toEqual(paid.body);
    expect(repeated.meta).toMatchObject({
      'svc/idempotent-replayed': true,
      'x402/payment-response': paid.meta['x402/payment-response'],
    });

    const early = await buyer.call('svc.get_report', { job_key });
    expect([early.isError, early.body.code, early.meta['svc/retry-after-seconds']]).toEqual([
      true,
      'report_not_ready',
      1,
    ]);
    await service.execute(job_key);
    const delivered = await buyer.call('svc.purchase_status', { job_key });
    expect(delivered.body).toEqual((await agent.job(job_key)).body);
    expect(delivered.texts[0]).toContain('svc.review_delivery');
    expect((await buyer.call('svc.get_report', { job_key })).body.verdict).toBe('revise');
    const accepted = await buyer.call('svc.review_delivery', { job_key, decision: 'accept' });
    expect(accepted.body).toMatchObject({ state: 'accepted', charge_state: 'final' });
    const receipt = await buyer.call('svc.get_receipt', { job_key });
    expect(receipt.body).toEqual((await agent.get(`/api/agent/v1/jobs/${job_key}/receipt`)).body);
  });

  it('cancels what it has not paid for, and is told when there is no payment to cancel', async () => {
    const job_key = await agent.authorizedJob();
    const nothing = await buyer.call('svc.cancel_payment', { job_key });
    expect([nothing.isError, nothing.body.code]).toEqual([true, 'action_not_allowed']);
    const canceled = await buyer.call('svc.cancel_job', { job_key });
    expect(canceled.body).toMatchObject({ job_key, state: 'canceled', next_actions: [] });
    expect(canceled.body).toEqual((await agent.job(job_key)).body);
  });

  it('sees nothing of what another principal bought, in the words of REST for what does not exist', async () => {
    const other = await Agent.arrive(service);
    const job_key = await other.authorizedJob();
    const { quote_key } = (await other.job(job_key)).body;
    const told = ({ isError, body }: ToolAnswer) => ({ isError, ...body, request_id: '' });
    for (const { name, inputSchema } of await buyer.list()) {
      const keys = Object.keys((inputSchema.properties ?? {}) as object);
      for (const key of ['quote_key', 'job_key'].filter((one) => keys.includes(one))) {
        const rest = callArguments[name] ?? {};
        const foreign = await buyer.call(name, { ...rest, [key]: key === 'job_key' ? job_key : quote_key });
        const missing = await buyer.call(name, { ...rest, [key]: key.replace('key', '0000000000000000000000') });
        expect([name, foreign.isError, foreign.body.code]).toEqual([name, true, 'not_found']);
        expect(told(foreign)).toEqual(told(missing));
      }
    }
    expect((await other.job(job_key)).body.state).toBe('awaiting_payment');
  });

  it('is told of a field at fault as over REST, and of a credential among the arguments', async () => {
    const unknown = await buyer.call('svc.check_work', quoteArguments({ colour: 'red' }));
    expect(unknown.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/colour' }] });
    const leaked = await buyer.call('svc.whoami', { authorization: agent.token });
    expect(leaked.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/authorization' }] });
    const keyless = await buyer.call('svc.check_work', quoteArguments({ idempotency_key: undefined }));
    expect(keyless.body.code).toBe('idempotency_key_required');
    const both = await buyer.call('svc.purchase_status', { quote_key: 'quote_1', job_key: 'job_1' });
    expect(both.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/quote_key' }, { pointer: '/job_key' }],
    });
  });

  it.each([
    ['no query', ''],
    ['names=snake', '?names=snake'],
    ['both', '?profile=buyer&names=snake'],
  ])('reads the tools without dots at an address with %s, and calls them by either name', async (_, query) => {
    const snake = await connectMcp(kind, `${service.baseUrl}/mcp${query}`, agent.token);
    expect((await snake.list()).map(({ name }) => name)).toEqual(
      interfaceTools.map((name) => name.replace('svc.', 'svc_')),
    );
    expect((await snake.call('svc_whoami')).body).toMatchObject({ principal: { kind: 'wallet' } });
    expect((await snake.call('svc.whoami')).isError).toBe(false);
    expect((await buyer.call('svc_whoami')).isError).toBe(false);
    await snake.close();
  });

  it('is offered nothing that moves money by the profile for readers', async () => {
    const reader = await connectMcp(kind, `${service.baseUrl}/mcp?profile=reader`, agent.token);
    const names = (await reader.list()).map(({ name }) => name);
    expect(names).toEqual(['svc_whoami', 'svc_check_work', 'svc_purchase_status', 'svc_get_report', 'svc_get_receipt']);
    const job_key = await agent.authorizedJob();
    for (const name of interfaceTools
      .map((each) => each.replace('svc.', 'svc_'))
      .filter((each) => !names.includes(each))) {
      await expect(reader.call(name, { job_key })).rejects.toThrow(`There is no tool "${name}"`);
      await expect(reader.call(name.replace('svc_', 'svc.'), { job_key })).rejects.toThrow('There is no tool');
    }
    expect((await agent.job(job_key)).body.state).toBe('awaiting_payment');
    await reader.close();
  });

  it('pays with the signed payment as an argument, where it cannot set metadata', async () => {
    const payment = { job_key: await agent.authorizedJob(), rail: 'x402', idempotency_key: randomUUID() };
    const unpaid = await buyer.call('svc.pay', payment);
    expect(unpaid.texts[1]).toContain('payment');
    const signed = await agent.createPayment(unpaid.body);
    const paid = await buyer.call('svc.pay', { ...payment, payment: signed });
    expect(paid.body).toMatchObject({ state: 'queued', payment_state: 'collected' });
    expect(paid.meta['x402/payment-response']).toMatchObject({ success: true });
    // However it is sent, it is the same payment.
    const repeated = await buyer.call('svc.pay', payment, { 'x402/payment': signed });
    expect([repeated.body, repeated.meta['svc/idempotent-replayed']]).toEqual([paid.body, true]);
    const elsewhere = await buyer.call('svc.whoami', { payment: signed });
    expect(elsewhere.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/payment' }] });
  });

  it('reads an answer as Markdown, with its JSON once', async () => {
    const quote = await buyer.call('svc.check_work', quoteArguments());
    const [, text = '', ...more] = quote.texts;
    expect([text.includes(JSON.stringify(quote.body)), more]).toEqual([false, []]);
    expect(text).toContain(`- quote_key: ${quote.body.quote_key}`);
    // OpenAI Agents glues the texts of an answer together: no word, and no address, runs into the next.
    expect(quote.texts.join('')).toContain(`\n\n${text}`);
    // A model that sees the text alone can go on from there.
    const [, tool = '', args = ''] = /^- (svc\.authorize_purchase) (\{.*?\}): /m.exec(text) ?? [];
    const { job_key } = (await buyer.call(tool, JSON.parse(args))).body;
    const refused = await buyer.call('svc.get_report', { job_key });
    expect(refused.texts).toHaveLength(2);
    expect(refused.texts[1]).toContain('- code: report_not_ready');
    const delivered = await agent.paidJob();
    await service.execute(delivered);
    const report = await buyer.call('svc.get_report', { job_key: delivered });
    expect(report.texts.slice(1)).toEqual([report.body.report.body]);
    // Proven statements stay where the whole report is.
    expect(report.body.next).toBe(
      `/api/agent/v1/jobs/${delivered}/report?report_digest=${encodeURIComponent((await agent.job(delivered)).body.report_digest)}&view=whole`,
    );
    const whole = await buyer.call('svc.get_report', { job_key: delivered, view: 'whole' });
    expect(report.body.statements.length + report.body.statements_omitted).toBe(whole.body.statements.length);
    expect((await agent.get(report.body.next)).body).toEqual(whole.body);
  });

  it('cannot call a tool that is not there', async () => {
    await expect(buyer.call('svc.refund')).rejects.toThrow('There is no tool "svc.refund"');
  });
});

describe('the tools', () => {
  it('say what reads and what cannot be had back, and take no combinators at the root of their arguments', async () => {
    const client = await connectMcp('2026-07-28', address);
    const tools = await client.list();
    const where = (hint: string) => tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(where('readOnlyHint')).toEqual(['svc.whoami', 'svc.purchase_status', 'svc.get_report', 'svc.get_receipt']);
    expect(where('destructiveHint')).toEqual(expect.arrayContaining(['svc.pay', 'svc.cancel_job']));
    expect(where('destructiveHint')).not.toContain('svc.check_work');
    for (const { inputSchema } of tools) {
      expect(inputSchema.type).toBe('object');
      for (const combinator of ['anyOf', 'oneOf', 'allOf']) expect(inputSchema).not.toHaveProperty(combinator);
      // LangChain keeps the objects of a union alone: text would be refused where a bare object is listed beside it.
      expect(JSON.stringify(inputSchema)).not.toMatch(/"anyOf":\[\{"type":"string"\}[^\]]*\{"type":"object"\}/);
    }
    await client.close();
  });
});

describe('what a model reads of the tools', () => {
  it('is short, names every tool and parameter, and speaks of no headers and no paths', async () => {
    const client = await connectMcp('2026-07-28', address);
    const tools = await client.list();
    const withoutOutputs = tools.map(({ outputSchema: _, ...tool }) => tool);
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(40_000);
    const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    // 4.05 characters a token (o200k_base) on this listing: at most 3,000 tokens.
    expect(JSON.stringify(seen).length).toBeLessThanOrEqual(12_100);
    expect(JSON.stringify(withoutOutputs)).not.toMatch(/header|\/api\/|\bGET\b|\bPOST\b|Prefer|PAYMENT-|Authorization/);
    const words = { title: expect.stringMatching(/\w/), description: expect.stringMatching(/\w/) };
    for (const tool of tools) {
      expect(tool).toMatchObject(words);
      for (const [name, property] of Object.entries((tool.inputSchema.properties ?? {}) as object)) {
        expect([tool.name, name, property]).toEqual([tool.name, name, expect.objectContaining(words)]);
      }
    }
    await client.close();
  });

  it('says of every tool when to use it, and gives an example that its own schema takes', async () => {
    const client = await connectMcp('2026-07-28', address);
    const tools = await client.list();
    for (const { name, description = '', inputSchema } of tools) {
      expect([name, description]).toEqual([name, expect.stringMatching(/Use this when /)]);
      const [, example = ''] = / Example: (\{.*\})$/.exec(description) ?? [];
      expect([name, z.fromJSONSchema(inputSchema).safeParse(JSON.parse(example)).error]).toEqual([name, undefined]);
    }
    const { description = '' } = tools.find(({ name }) => name === 'svc.check_work') ?? {};
    const example = JSON.parse(/ Example: (\{.*\})$/.exec(description)?.[1] ?? '');
    const { verdict } = await checkWork(example, { assessor: embeddedAssessor, now: new Date() });
    // An error stands in it: who tries it sees what is sold.
    expect(verdict).toBe('revise');
    const priced = `${toText(price)} (${price} microcents)`;
    expect(tools.filter(({ description }) => description?.includes(priced)).map(({ name }) => name)).toEqual([
      'svc.whoami',
      'svc.check_work',
      'svc.pay',
    ]);
    await client.close();
  });

  it('has one type at a place: some model vendors refuse lists of types', async () => {
    const client = await connectMcp('2026-07-28', address);
    expect(JSON.stringify(await client.list())).not.toContain('"type":[');
    await client.close();
  });

  it('and of the refusals says where to sign in, and nothing of headers', async () => {
    const { result } = await (
      await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
        }),
      })
    )
      .text()
      .then((text) => JSON.parse(text.replace(/^[\s\S]*?data: /, '')));
    expect(result.instructions).toContain(`${service.baseUrl}/docs#sign-in`);
    const agent = await Agent.arrive(service);
    const buyer = await connectMcp('2026-07-28', address, agent.token);
    const lines = [
      await buyer.call('svc.check_work', quoteArguments({ idempotency_key: undefined })),
      await buyer.call('svc.check_work', quoteArguments({ context: { refs: ['src_1'] } })),
    ].map(({ texts }) => texts[0]);
    for (const line of lines) expect(line).not.toMatch(/header|\/api\/|Authorization|Retry-After/);
    await buyer.close();
  });

  it('lets a caller wait for a job that moves, by an argument', async () => {
    const agent = await Agent.arrive(service);
    const buyer = await connectMcp('2026-07-28', address, agent.token);
    const job_key = await agent.paidJob();
    const waiting = buyer.call('svc.purchase_status', { job_key, wait_seconds: 25 });
    await service.execute(job_key);
    expect((await waiting).body.state).toMatch(/^(running|delivered)$/);
    const { quote_key } = (await agent.job(job_key)).body;
    expect((await buyer.call('svc.purchase_status', { quote_key, wait_seconds: 1 })).body.job_key).toBe(job_key);
    for (const wait_seconds of [26, -1, '5']) {
      const { body } = await buyer.call('svc.purchase_status', { job_key, wait_seconds });
      expect([body.code, body.errors[0].pointer]).toEqual(['validation_failed', '/wait_seconds']);
    }
    expect((await buyer.call('svc.get_report', { job_key, wait_seconds: 1 })).body.errors[0].pointer).toBe(
      '/wait_seconds',
    );
    await buyer.close();
  });

  it('takes what cannot be read as a payment for a payment that is not valid', async () => {
    const agent = await Agent.arrive(service);
    const buyer = await connectMcp('2026-07-28', address, agent.token);
    const payment = { job_key: await agent.authorizedJob(), rail: 'x402', idempotency_key: randomUUID() };
    for (const broken of ['nonsense', { x402Version: 2, payload: '\u0000' }, { x402Version: 1 }]) {
      const { body } = await buyer.call('svc.pay', payment, { 'x402/payment': broken });
      expect(body).toMatchObject({ x402Version: 2, error: expect.any(String) });
    }
    const signed = await agent.createPayment((await buyer.call('svc.pay', payment)).body);
    expect((await buyer.call('svc.pay', payment, { 'x402/payment': signed })).body.payment_state).toBe('collected');
    await buyer.close();
  });

  it('is refused an input that is deeper than any reader, whatever else is wrong with it', async () => {
    const agent = await Agent.arrive(service);
    const { work_product: _, ...rest } = quoteArguments({ max_price_microcents: 9_007_199_254_740_992 });
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const args = `${JSON.stringify(rest).slice(0, -1)},"work_product":${deep}}`;
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        ...agent.identity(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc.check_work","arguments":${args}}}`,
    });
    expect(await response.text()).toMatch(/validation_failed|input_too_large/);
  });

  it('takes a payment as the header would carry it, from clients whose metadata is text alone', async () => {
    const agent = await Agent.arrive(service);
    const buyer = await connectMcp('2026-07-28', address, agent.token);
    const payment = { job_key: await agent.authorizedJob(), rail: 'x402', idempotency_key: randomUUID() };
    const signed = encodePaymentSignatureHeader(await agent.createPayment((await buyer.call('svc.pay', payment)).body));
    expect((await buyer.call('svc.pay', payment, { 'x402/payment': signed })).body.payment_state).toBe('collected');
    await buyer.close();
  });
});

describe('the endpoint', () => {
  const post = (path: string, message: unknown, headers: Record<string, string> = {}) =>
    fetch(new URL(path, service.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(message),
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

  const listen = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'a buyer', version: '1' },
      },
    },
  };

  it('serves buyers when the address has lost its query', async () => {
    expect(await (await post('/mcp', list)).text()).toContain('svc_whoami');
    const other = await post('/mcp?profile=operator', list);
    expect([other.status, (await other.json()).code]).toEqual([404, 'not_found']);
  });

  const call = (name: string, args: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });

  it('answers a call without a valid credential with 401 and where to sign in, whatever its arguments', async () => {
    const nobody = new Agent(service.baseUrl, `0x${'22'.repeat(32)}`);
    const rest = await nobody.get('/api/agent/v1/me');
    const ended = await Agent.arrive(service);
    await ended.send('DELETE', '/api/x402/v1/wallets/session');
    const credentials = [{}, { authorization: 'Bearer nonsense' }, ended.identity()];
    for (const headers of credentials) {
      for (const path of ['/mcp', '/mcp?profile=buyer', '/mcp?names=snake']) {
        for (const message of [call('svc.whoami'), call('svc_pay', { job_key: 1 }), call('svc.purchase_status')]) {
          const answer = await post(path, message, headers);
          expect(answer.status).toBe(401);
          expect(answer.headers.get('content-type')).toContain('application/problem+json');
          expect(answer.headers.get('www-authenticate')).toBe(
            `Bearer realm="svc", error="invalid_token", scope="checks", ` +
              `resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource/mcp"`,
          );
          expect((await answer.json()).code).toBe('invalid_token');
        }
      }
    }
    const unsigned = await (await post('/mcp', call('svc.whoami'))).json();
    expect({ ...unsigned, request_id: '' }).toEqual({ ...rest.body, request_id: '' });
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'svc.whoami' };
    const { params, ...message } = call('svc.whoami');
    const { _meta } = listen.params;
    expect((await post('/mcp', { ...message, params: { ...params, _meta } }, modern)).status).toBe(401);
    expect((await post('/mcp', list, { authorization: 'Bearer nonsense' })).status).toBe(200);
  });

  it('says whose resource it is, at its own address and at the root, for clients that are told to sign in', async () => {
    for (const address of ['/mcp', '/mcp?profile=buyer', '']) {
      const answer = await fetch(`${service.baseUrl}/.well-known/oauth-protected-resource${address}`);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(await answer.json()).toMatchObject({
        resource: `${service.baseUrl}/mcp`,
        scopes_supported: ['checks'],
        bearer_methods_supported: ['header'],
      });
    }
  });

  it('names every request, and refuses a token in the address, another site, GET and what is too large', async () => {
    const good = await post('/mcp', list, { origin: service.baseUrl });
    expect([good.status, good.headers.get('x-request-id')]).toEqual([200, expect.stringMatching(/^req_/)]);
    const agent = await Agent.arrive(service);
    const leaked = await post(`/mcp?token=${agent.token}`, list);
    expect([leaked.status, (await leaked.json()).code]).toEqual([400, 'credential_in_url']);
    expect((await post('/mcp', list, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await fetch(new URL('/mcp', service.baseUrl))).status).toBe(405);
    const padded = { ...list, params: { padding: ' '.repeat(2 * 1024 * 1024) } };
    const large = await post('/mcp', padded, { authorization: `Bearer ${agent.token}` });
    expect([large.status, (await large.json()).code]).toEqual([413, 'input_too_large']);
  });

  it('acknowledges a subscription, says that nothing will follow, and ends it', async () => {
    const answer = await post('/mcp', listen, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    });
    const frames = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
    expect(frames.map((line) => JSON.parse(line.slice('data: '.length)))).toEqual([
      expect.objectContaining({
        method: 'notifications/subscriptions/acknowledged',
        params: expect.objectContaining({ notifications: {} }),
      }),
    ]);
  });
});

import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { operations } from '../operations.ts';
import { seconds } from '../service/terms.ts';
import { llmsText } from '../transports/documents.ts';
import { openApiDocument } from '../transports/openapi.ts';
import { Verdict } from '../work-check/contract.ts';
import { decidedKinds } from '../work-check/criteria/kinds.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService();
const reader = new Agent(service.baseUrl, `0x${'11'.repeat(32)}`);

describe('the discovery document', () => {
  it('has every field of the interface, and leads to the contract and the wallet sign-in', async () => {
    const { status, headers, body } = await reader.get('/.well-known/svc');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(
        'interface service summary endpoints first_service instructions manifest mcp registration service_page wallet'.split(
          ' ',
        ),
      ),
    );
    expect(body.interface).toBe('svc.agent_buyer.v1');
    expect(Object.keys(body.endpoints).toSorted()).toEqual(
      'authorize cancel cancel_payment check_work job me pay purchase receipt report review rotate_credential'.split(
        ' ',
      ),
    );
    expect(body.endpoints.check_work).toBe('POST /api/agent/v1/checks');
    expect(body.registration).toMatchObject({ method: 'POST', url: `${service.baseUrl}/api/agent/v1/registrations` });
    expect(body.wallet.signing).toEqual({
      formats: ['siwe', 'legacy'],
      default_format: 'siwe',
      signature: 'eip191_personal_sign',
      chain_id: 84532,
      network: 'eip155:84532',
      domain: new URL(service.baseUrl).host,
      challenge_ttl_seconds: 300,
      session_ttl_seconds: 3600,
      contract_wallets: 'unsupported',
    });
    expect((await reader.get(body.first_service.contract)).status).toBe(200);
  });

  it('answers 304 to whoever holds it already', async () => {
    const first = await reader.get('/.well-known/svc');
    const again = await reader.get('/.well-known/svc', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });
});

/** The revision that the server answers a client of this one in. */
async function spokenTo(protocolVersion: string): Promise<string> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'a crawler', version: '1' } };
  const answer = await fetch(`${service.baseUrl}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  return /"protocolVersion":"([\d-]+)"/.exec(await answer.text())?.[1] ?? '';
}

describe('what directories read', () => {
  const read = async (path: string) => {
    const answer = await fetch(service.baseUrl + path);
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
  };

  it('leads from every public document to the descriptions of the interfaces', async () => {
    for (const path of ['/.well-known/svc', '/api/agent/v1/services/svc_work_check', '/openapi.json', '/llms.txt']) {
      const { headers } = await reader.get(path);
      expect([path, headers.get('link')]).toEqual([
        path,
        expect.stringContaining('</openapi.json>; rel="service-desc"'),
      ]);
    }
  });

  it('is a catalog of which every link is answered', async () => {
    const { type, text } = await read('/.well-known/api-catalog');
    expect(type).toContain('application/linkset+json');
    const links = JSON.parse(text).linkset.flatMap(({ anchor: _, ...relations }: Record<string, { href: string }[]>) =>
      Object.values(relations).flat(),
    ) as { href: string }[];
    expect(links.length).toBeGreaterThan(10);
    // Pages are for Next; tests in a browser open them.
    const data = links.map(({ href }) => new URL(href).pathname).filter((path) => /json|well-known|api/.test(path));
    for (const path of data) expect([path, (await read(path)).status]).toEqual([path, 200]);
  });

  it('names the one thing that a payment alone buys, which answers 402', async () => {
    const { resources } = JSON.parse((await read('/.well-known/x402')).text);
    expect(resources).toEqual([`${service.baseUrl}/api/x402/v1/check`]);
    expect((await fetch(resources[0], { method: 'POST' })).status).toBe(402);
  });

  it('says how the registry of MCP servers may list this one', async () => {
    const server = JSON.parse((await read('/server.json')).text);
    expect(server).toMatchObject({
      name: expect.stringMatching(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
      remotes: [{ type: 'streamable-http', url: `${service.baseUrl}/mcp` }],
    });
    expect(server.description.length).toBeLessThanOrEqual(100);
  });

  it('leads from both catalogs of its domain to the card of the MCP server, which says what the server says', async () => {
    const mcp = new Client(
      { name: 'a crawler', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`)));
    const { name = '', version = '' } = mcp.getServerVersion() ?? {};
    await mcp.close();
    for (const [path, specVersion] of [
      ['/.well-known/mcp/catalog.json', 'draft'],
      ['/.well-known/ai-catalog.json', '1.0'],
    ] as const) {
      const catalog = JSON.parse((await read(path)).text);
      expect(catalog).toMatchObject({ specVersion, entries: [{ type: 'application/mcp-server-card+json' }] });
      const [{ identifier, url, type }] = catalog.entries;
      expect(identifier).toBe(`urn:air:${new URL(service.baseUrl).hostname}:${name}`);
      const answer = await fetch(url, { headers: { accept: type } });
      expect([answer.headers.get('content-type'), answer.headers.get('access-control-allow-origin')]).toEqual([
        type,
        '*',
      ]);
      const card = await answer.json();
      expect(card).toMatchObject({ version, remotes: [{ type: 'streamable-http', url: `${service.baseUrl}/mcp` }] });
      expect(card.name.split('/')[1]).toBe(name);
      expect(card.description.length).toBeLessThanOrEqual(100);
      const [newest, ...older] = card.remotes[0].supportedProtocolVersions;
      expect(newest).toBe('2026-07-28');
      for (const revision of older) expect([revision, await spokenTo(revision)]).toEqual([revision, revision]);
    }
  });

  it('teaches agents that collect skills to buy here, by the digest that its index says', async () => {
    const index = JSON.parse((await read('/.well-known/agent-skills/index.json')).text);
    expect(index.skills).toHaveLength(1);
    const [{ name, url, digest }] = index.skills;
    const { type, text } = await read(new URL(url).pathname);
    expect(type).toContain('text/markdown');
    expect(digest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`);
    expect(text).toMatch(new RegExp(`^---\\nname: ${name}\\ndescription: "[^\\n]{1,1022}"\\n---\\n`));
    // The link of each way to buy is answered.
    for (const path of ['/.well-known/svc', '/api/x402/v1/check', '/mcp'])
      expect(text).toContain(service.baseUrl + path);
  });

  it('maps the public pages, keeps robots out of customers’ pages and lets them read the contract', async () => {
    expect((await read('/sitemap.xml')).text).toContain(`<loc>${service.baseUrl}/docs</loc>`);
    const robots = (await read('/robots.txt')).text;
    expect(robots).toContain(`Sitemap: ${service.baseUrl}/sitemap.xml`);
    const closed = [...robots.matchAll(/^Disallow: (.*)$/gm)].map(([, path = '']) => path);
    expect(closed).toContain('/reports');
    for (const path of ['/.well-known/svc', '/openapi.json', '/api/agent/v1/services/svc_work_check', '/docs'])
      expect(closed.filter((own) => path.startsWith(own))).toEqual([]);
  });
});

describe('the service contract', () => {
  it('has every field of the interface, with its fixed values', async () => {
    const { body } = await reader.get('/api/agent/v1/services/svc_work_check');
    expect(Object.keys(body).toSorted()).toEqual(
      (
        'acceptance_criteria authentication availability contract_version example_request first_party input_schema ' +
        'interfaces name output_schema price purchase_flow recovery sample_report schema_version service_key summary terms'
      ).split(' '),
    );
    expect(body).toMatchObject({
      schema_version: 'svc.service_contract.v1',
      contract_version: 'svc.work_check.v1',
      first_party: true,
      price: { amount_microcents: 500_000_000, currency: 'USD', price_type: 'fixed', pricing_status: 'approved' },
      sample_report: { illustrative: true, contract_version: 'svc.work_check.v1' },
    });
    expect(body.purchase_flow.map(({ step }: { step: string }) => step)).toEqual(
      'quote authorize pay follow report review receipt'.split(' '),
    );
    expect(body.terms).toMatchObject({
      business_authority: 'advisory_only',
      collection: 'prepaid',
      payment_grants_source_access: false,
      url_fetching: 'not_offered_in_v1',
      evidence_items_max: 20,
      work_product_max_bytes: 65_536,
      total_input_max_bytes: 262_144,
      governed_sources_max: 200,
      governed_source_max_bytes: 32_768,
      review_window_seconds: seconds.reviewWindow,
    });
    expect(body.availability).toMatchObject({
      state: 'available',
      purchasable_rails: ['x402'],
      reasons: [],
      rails: { card: { state: 'unavailable', mode: 'unknown' }, x402: { state: 'available', reasons: [] } },
    });
  });

  it('says who assesses, which kinds of criteria are decided, what a verdict means and how right it was', async () => {
    const { body } = await reader.get('/api/agent/v1/services/svc_work_check');
    const { assessor, decides, verdicts, accuracy, measured } = body.terms.assessment;
    expect(assessor).toBe('rules, and no language model');
    expect(decides).toEqual(decidedKinds.map(({ name, decides: what }) => ({ kind: name, decides: what })));
    expect(Object.keys(verdicts).toSorted()).toEqual([...Verdict.options].toSorted());
    expect(accuracy).toContain(measured === null ? 'never measured' : `in version ${measured.version}`);
    const llms = llmsText({ baseUrl: service.baseUrl, assessor: [] });
    for (const words of [assessor, accuracy, ...Object.values<string>(verdicts)]) expect(llms).toContain(words);
  });

  it('carries an example that works when the two client fields are added', async () => {
    const agent = await Agent.arrive(service);
    const { body } = await agent.get('/api/agent/v1/services/svc_work_check');
    const quote = await agent.post('/api/agent/v1/checks', {
      ...body.example_request,
      max_price_microcents: body.price.amount_microcents,
      idempotency_key: 'example',
    });
    expect(quote.status).toBe(201);
  });
});

describe('the OpenAPI document', () => {
  it('describes the example in the contract as a request, field by field', () => {
    const described = openApiDocument(service.baseUrl).components?.schemas?.ServiceContract;
    const properties = described && typeof described === 'object' && 'properties' in described && described.properties;
    const example = properties ? properties.example_request : undefined;
    const fields = typeof example === 'object' && 'properties' in example ? example : expect.unreachable();
    expect(fields.required).toEqual(expect.arrayContaining(['work_product', 'evidence']));
    expect(Object.keys(fields.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(exampleRequest)));
  });

  it('describes each operation with its success, and each of its problems by status', () => {
    const document = openApiDocument(service.baseUrl);
    expect(document.openapi).toBe('3.1.0');
    const pay = document.paths?.['/api/agent/v1/jobs/{job_key}/payments']?.post;
    expect(pay?.operationId).toBe('pay');
    expect(Object.keys(pay?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '402', '403', '404', '409', '503']),
    );
    expect(pay?.responses?.['409']?.description).toContain('payment_unknown');
    const limited = pay?.responses?.['429'];
    expect(Object.keys((limited && 'headers' in limited && limited.headers) || {})).toEqual([
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]);
  });

  it('closes what is sent and leaves answers open, because they may gain fields', () => {
    const { paths, components } = openApiDocument(service.baseUrl);
    for (const path of Object.values(paths ?? {})) {
      const answers = [path?.get, path?.post, path?.delete].map((operation) => operation?.responses);
      expect(JSON.stringify(answers)).not.toContain('"additionalProperties":false');
    }
    expect(JSON.stringify(components?.schemas?.Job)).not.toContain('"additionalProperties":false');
    const quote = JSON.stringify(paths?.['/api/agent/v1/checks']?.post?.requestBody);
    expect(quote).toContain('"additionalProperties":false');
  });

  it('names the headers of its answers', () => {
    const { paths } = openApiDocument(service.baseUrl);
    const headersOf = (path: string, method: 'get' | 'post', status: `${2 | 4}${string}`) => {
      const answer = paths?.[path]?.[method]?.responses?.[status as '200'];
      return Object.keys((answer && 'headers' in answer && answer.headers) || {});
    };
    const pay = '/api/agent/v1/jobs/{job_key}/payments';
    expect(headersOf(pay, 'post', '402')).toEqual(['X-Request-Id', 'PAYMENT-REQUIRED']);
    expect(headersOf(pay, 'post', '200')).toEqual(expect.arrayContaining(['PAYMENT-RESPONSE', 'Idempotent-Replayed']));
    expect(headersOf(pay, 'post', '401')).toContain('WWW-Authenticate');
    expect(headersOf('/.well-known/svc', 'get', '200')).toContain('Access-Control-Allow-Origin');
    expect(headersOf('/api/agent/v1/jobs/{job_key}/report', 'get', '200')).toContain('X-Report-Digest');
  });

  it('asks for a body exactly where a request without one is refused', async () => {
    const agent = await Agent.arrive(service);
    const { paths } = openApiDocument(service.baseUrl);
    const posts = Object.values(operations).filter(({ method }) => method === 'POST');
    for (const { name, path, audience, ...operation } of posts) {
      if (!(audience as readonly string[]).some((who) => who !== 'member')) continue;
      const answer = await agent.send('POST', path.replace(/\{\w+\}/g, 'unknown'), undefined, {
        'idempotency-key': name,
        // Without a payment it reads nothing.
        ...('readsWhenPaid' in operation ? { 'payment-signature': 'e30=' } : {}),
      });
      const isRefused = answer.body.code === 'validation_failed';
      const body = paths?.[path]?.post?.requestBody as { required?: boolean };
      expect([name, body.required]).toEqual([name, isRefused]);
    }
  });
});

describe('a wallet', () => {
  it('opens one session with one signature, however often it is presented at once', async () => {
    const agent = await Agent.arrive(service);
    const { body: challenge } = await agent.post('/api/x402/v1/wallets/challenge', { address: agent.wallet.address });
    const signature = await agent.wallet.signMessage({ message: challenge.message });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        agent.post('/api/x402/v1/wallets/verify', { challenge_key: challenge.challenge_key, signature }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(
      new Set(['challenge_expired']),
    );
  });

  it('is refused with a signature of another key, a contract wallet, or after five minutes', async () => {
    const [agent, other] = await Promise.all([Agent.arrive(service), Agent.arrive(service)]);
    const challenge = async () =>
      (await agent.post('/api/x402/v1/wallets/challenge', { address: agent.wallet.address })).body;
    const verify = (challenge_key: string, signature: string) =>
      agent.post('/api/x402/v1/wallets/verify', { challenge_key, signature });
    const foreign = await challenge();
    const stolen = await verify(foreign.challenge_key, await other.wallet.signMessage({ message: foreign.message }));
    expect([stolen.status, stolen.body.code]).toEqual([401, 'signature_invalid']);
    const contract = await verify(foreign.challenge_key, `0x${'ab'.repeat(200)}`);
    expect([contract.status, contract.body.code]).toEqual([422, 'contract_wallet_unsupported']);
    const late = await challenge();
    service.advanceClock(301);
    const expired = await verify(late.challenge_key, await agent.wallet.signMessage({ message: late.message }));
    expect([expired.status, expired.body.code]).toEqual([410, 'challenge_expired']);
    service.advanceClock(-301);
  });

  it('signs in with the legacy format under the same terms, and its sign-in pays for nothing', async () => {
    const agent = await Agent.arrive(service);
    const { body: challenge } = await agent.post('/api/x402/v1/wallets/challenge', {
      address: agent.wallet.address,
      format: 'legacy',
    });
    for (const term of [agent.wallet.address, challenge.nonce, challenge.domain, challenge.expires_at]) {
      expect(challenge.message).toContain(term);
    }
    const signature = await agent.wallet.signMessage({ message: challenge.message });
    const verified = await agent.post('/api/x402/v1/wallets/verify', {
      challenge_key: challenge.challenge_key,
      signature,
    });
    expect(verified.status).toBe(200);
    const jobKey = await agent.authorizedJob();
    expect((await agent.pay(jobKey, { signature })).status).toBe(402);
  });

  it('is let out after an hour, and finds its purchases again when it signs in anew', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    service.advanceClock(3_601);
    const over = await agent.job(jobKey);
    expect([over.status, over.body.code]).toEqual([401, 'invalid_token']);
    expect(over.headers.get('www-authenticate')).toContain('Bearer');
    await agent.signIn();
    expect((await agent.job(jobKey)).body.job_key).toBe(jobKey);
    service.advanceClock(-3_601);
  });

  it('must not put its token in an address', async () => {
    const agent = await Agent.arrive(service);
    const leaked = await agent.get(`/api/agent/v1/me?token=${agent.token}`);
    expect([leaked.status, leaked.body.code]).toEqual([400, 'credential_in_url']);
  });
});

describe('the door', () => {
  it('refuses what is no JSON object, another media type and another method, in words', async () => {
    const agent = await Agent.arrive(service);
    const post = (body: string, headers: Record<string, string>) =>
      agent.send('POST', '/api/agent/v1/checks', body, headers);
    const json = { 'content-type': 'application/json' };
    expect((await post('{', json)).body.code).toBe('malformed_request');
    expect((await post('[]', json)).body.code).toBe('malformed_request');
    expect((await post('a=1', { 'content-type': 'application/x-www-form-urlencoded' })).body.code).toBe(
      'unsupported_media_type',
    );
    expect((await post(' '.repeat(2 * 1024 * 1024 + 1), json)).body.code).toBe('input_too_large');
    const wrong = await agent.send('PUT', '/api/agent/v1/checks', '{}', json);
    expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([405, 'method_not_allowed', 'POST']);
    const nowhere = await agent.get('/api/agent/v1/nowhere');
    expect([nowhere.status, nowhere.body.code]).toEqual([404, 'not_found']);
    expect(wrong.body.type).toBe(`${service.baseUrl}/problems/method_not_allowed`);
  });
});

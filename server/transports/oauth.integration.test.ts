import { randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Client } from '../../e2e/support/agent.ts';
import { buyingByCard } from '../../e2e/support/card.ts';
import { connectMcp } from '../../e2e/support/mcp-client.ts';
import type { Member } from '../../e2e/support/member.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { forgetStrangers } from '../identity/forget.ts';
import { price, service as terms } from '../service/terms.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService(withCard);
const issuer = new URL(service.baseUrl);
const resource = `${service.baseUrl}/mcp`;
const redirect_uri = 'http://127.0.0.1:9/callback';
const insecure = { [oauth.allowInsecureRequests]: true } as const;

let as: oauth.AuthorizationServer;
let member: Member;
beforeAll(async () => {
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  member = (await buyingByCard(service)).member;
});

/** A client that registers itself, as a host does. */
async function register(metadata: Partial<oauth.Client> = {}): Promise<oauth.Client> {
  const answer = await oauth.dynamicClientRegistrationRequest(
    as,
    { redirect_uris: [redirect_uri], client_name: 'A host', token_endpoint_auth_method: 'none', ...metadata },
    insecure,
  );
  return oauth.processDynamicClientRegistrationResponse(answer);
}

/** The person's browser: it keeps cookies by path, and follows nothing by itself. */
class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #identity: Record<string, string>;

  constructor(who: Client | null) {
    this.#identity = who?.identity() ?? {};
  }

  async get(address: string | URL): Promise<Response> {
    const cookie = [this.#identity.cookie, ...this.#cookies]
      .filter(Boolean)
      .map((one) => String(one).replace(',', '='));
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie: cookie.join('; ') } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }
}

interface Asked {
  verifier: string;
  state: string;
  url: URL;
}

async function ask(client: oauth.Client, changes: Record<string, string | null> = {}): Promise<Asked> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? '');
  const parameters = {
    client_id: client.client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    scope: 'checks',
    resource,
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  return { verifier, state, url };
}

const keyOf = (answer: Response) =>
  /^\/oauth\/consent\/([\w-]+)$/.exec(answer.headers.get('location') ?? '')?.[1] ?? '';
const decisionAt = (key: string) => `/api/agent/v1/authorizations/${key}/decision`;

/** What the person decides, and where the browser is sent with the answer. */
async function decide(asked: Asked, body: object, who: Member = member): Promise<URL> {
  const browser = new Browser(who);
  const key = keyOf(await browser.get(asked.url));
  const decided = await who.post(decisionAt(key), body);
  expect(decided.status).toBe(200);
  const back = await browser.get(decided.body.continue_url);
  return new URL(back.headers.get('location') ?? '');
}

const grantOf = (
  client: oauth.Client,
  callback: URLSearchParams,
  verifier: string,
  extra: Record<string, string> = {},
) =>
  oauth.authorizationCodeGrantRequest(as, client, oauth.None(), callback, redirect_uri, verifier, {
    additionalParameters: { resource, ...extra },
    ...insecure,
  });

async function tokensOf(
  client: oauth.Client,
  body: object = { decision: 'approve' },
): Promise<oauth.TokenEndpointResponse> {
  const asked = await ask(client);
  const callback = oauth.validateAuthResponse(as, client, await decide(asked, body), asked.state);
  return oauth.processAuthorizationCodeResponse(as, client, await grantOf(client, callback, asked.verifier));
}

const refresh = async (client: oauth.Client, token: string | undefined) =>
  oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token ?? '', insecure),
  );

const whoami = async (token: string) => {
  const client = await connectMcp('2026-07-28', resource, token);
  const { body } = await client.call('svc_whoami');
  await client.close();
  return body;
};

describe('the metadata', () => {
  it('lead from the resource to a server with PKCE, metadata documents and its own name in answers', async () => {
    const answer = await fetch(`${service.baseUrl}/.well-known/oauth-protected-resource/mcp`);
    expect((await answer.json()).authorization_servers).toEqual([service.baseUrl]);
    expect(as).toMatchObject({
      issuer: service.baseUrl,
      authorization_endpoint: `${service.baseUrl}/oauth/authorize`,
      token_endpoint: `${service.baseUrl}/oauth/token`,
      registration_endpoint: `${service.baseUrl}/oauth/register`,
      revocation_endpoint: `${service.baseUrl}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });
});

describe('a stock client', () => {
  it('connects, buys within the consented grant, is paused, resumed and revoked', async () => {
    const client = await register();
    const grant = { daily_limit_microcents: Number(price), payment_methods: ['card_checkout'] };
    const tokens = await tokensOf(client, { decision: 'approve', grant });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'checks' });
    expect(tokens.access_token).toMatch(/^svc_oauth_/);
    const me = await whoami(tokens.access_token);
    expect(me).toMatchObject({ account_key: member.accountKey, grant: { ...grant, paused: false } });

    const host = await connectMcp('2025 era', resource, tokens.access_token);
    const quote = () =>
      host.call('svc_check_work', {
        ...exampleRequest,
        max_price_microcents: Number(price),
        idempotency_key: randomUUID(),
      });
    const authorize = async () =>
      host.call('svc_authorize_purchase', {
        quote_key: (await quote()).body.quote_key,
        terms_version: terms.termsVersion,
      });
    const { job_key } = (await authorize()).body;
    const pending = await host.call('svc_pay', { job_key, rail: 'card', idempotency_key: randomUUID() });
    expect(pending.body).toMatchObject({ payment_state: 'requires_payer', continuation_url: expect.any(String) });
    expect((await authorize()).body.code).toBe('grant_limit_exceeded');

    const { agent_key } = me.principal;
    await member.post(`/api/agent/v1/agents/${agent_key}/pause`, { paused: true });
    expect((await quote()).body.code).toBe('grant_scope_missing');
    await member.post(`/api/agent/v1/agents/${agent_key}/pause`, { paused: false });
    expect((await quote()).isError).toBe(false);
    await member.post(`/api/agent/v1/agents/${agent_key}/revoke`, {});
    await expect(quote()).rejects.toThrow();
    await expect(refresh(client, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    await host.close();
  });

  it('is the same agent when it connects again, with the limits of the newest consent', async () => {
    const client = await register();
    const first = await whoami((await tokensOf(client)).access_token);
    const asked = await ask(client);
    const key = keyOf(await new Browser(member).get(asked.url));
    const shown = await member.get(`/api/agent/v1/authorizations/${key}`);
    expect(shown.body).toMatchObject({
      client: { name: 'A host', client_id: client.client_id, host: null },
      redirect_host: '127.0.0.1:9',
      agent_key: first.principal.agent_key,
    });
    const again = await tokensOf(client, { decision: 'approve', grant: { review_authority: false } });
    const second = await whoami(again.access_token);
    expect(second.principal).toEqual(first.principal);
    expect([first.grant.review_authority, second.grant.review_authority]).toEqual([true, false]);
  });

  it('is sent back to its person for what the grant lacks, and has it after another consent', async () => {
    const client = await register();
    const pay = async (token: string) => {
      const agent = await connectMcp('2026-07-28', resource, token);
      const quote = await agent.call('svc_check_work', {
        ...exampleRequest,
        max_price_microcents: Number(price),
        idempotency_key: randomUUID(),
      });
      const { quote_key } = quote.body;
      const { job_key } = (await agent.call('svc_authorize_purchase', { quote_key, terms_version: terms.termsVersion }))
        .body;
      await agent.close();
      const call = { name: 'svc_pay', arguments: { job_key, rail: 'x402', idempotency_key: randomUUID() } };
      return fetch(resource, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      });
    };
    const narrow = await tokensOf(client, { decision: 'approve', grant: { payment_methods: ['card_checkout'] } });
    const refused = await pay(narrow.access_token);
    expect([refused.status, (await refused.json()).code]).toEqual([403, 'grant_scope_missing']);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope", scope="checks", resource_meta/,
    );
    const wider = await tokensOf(client, {
      decision: 'approve',
      grant: { payment_methods: ['card_checkout', 'x402'] },
    });
    expect((await pay(wider.access_token)).status).toBe(200);
  });

  it('is shown by a name of one line, or by none', async () => {
    for (const [client_name, shown] of [
      ['Two\nlines', null],
      ['Reversed \u202e name', null],
      ['A'.repeat(65), null],
      ['Ünïque', 'Ünïque'],
    ] as const) {
      const key = keyOf(await new Browser(member).get((await ask(await register({ client_name }))).url));
      const { body } = await member.get(`/api/agent/v1/authorizations/${key}`);
      expect([client_name, body.client.name]).toEqual([client_name, shown]);
    }
  });

  it('is told when the person denies, and gets nothing', async () => {
    const client = await register();
    const asked = await ask(client);
    const denied = await decide(asked, { decision: 'deny' });
    expect(() => oauth.validateAuthResponse(as, client, denied, asked.state)).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    );
    const { agents } = (await member.get('/api/agent/v1/agents')).body;
    expect(agents.map(({ name }: { name: string }) => name)).not.toContain(client.client_id);
  });

  it('goes on with a refreshed token, and ends with a revoked one', async () => {
    const client = await register();
    const tokens = await tokensOf(client);
    const next = await refresh(client, tokens.refresh_token);
    expect((await whoami(next.access_token)).principal).toEqual((await whoami(tokens.access_token)).principal);
    const revoked = await oauth.revocationRequest(as, client, oauth.None(), next.refresh_token ?? '', insecure);
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
    await expect(whoami(next.access_token)).rejects.toThrow();
    await expect(refresh(client, next.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('has an access token for an hour', async () => {
    const { access_token } = await tokensOf(await register());
    service.advanceClock(3_540);
    expect((await whoami(access_token)).principal.kind).toBe('agent');
    service.advanceClock(120);
    await expect(whoami(access_token)).rejects.toThrow();
    service.advanceClock(-3_660);
  });
});

describe('a thief', () => {
  it('gets nothing at REST with a token for /mcp', async () => {
    const { access_token } = await tokensOf(await register());
    const answer = await fetch(`${service.baseUrl}/api/agent/v1/me`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect([answer.status, (await answer.json()).code]).toEqual([401, 'invalid_token']);
  });

  it.each([['https://elsewhere.example/mcp'], [`${service.baseUrl}/api/agent/v1`], [`${resource}/other`]])(
    'gets no token for another audience: %s',
    async (other) => {
      const client = await register();
      const asked = await ask(client, { resource: other });
      const back = new URL((await new Browser(member).get(asked.url)).headers.get('location') ?? '');
      expect(back.searchParams.get('error')).toBe('invalid_target');
    },
  );

  it('gets no token for another audience for a code or a refresh token, and none for those of another client', async () => {
    const elsewhere = { resource: 'https://elsewhere.example/mcp' };
    const [client, other] = [await register(), await register()];
    const asked = await ask(client);
    const callback = oauth.validateAuthResponse(as, client, await decide(asked, { decision: 'approve' }), asked.state);
    const coded = await grantOf(client, callback, asked.verifier, elsewhere);
    expect(await coded.json()).toMatchObject({ error: 'invalid_target' });
    const { refresh_token = '' } = await tokensOf(client);
    await expect(refresh(other, refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    const renewed = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), refresh_token, {
      additionalParameters: elsewhere,
      ...insecure,
    });
    expect(await renewed.json()).toMatchObject({ error: 'invalid_target' });
  });

  it('who replays a code ends what it gave', async () => {
    const client = await register();
    const asked = await ask(client);
    const callback = oauth.validateAuthResponse(as, client, await decide(asked, { decision: 'approve' }), asked.state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await grantOf(client, callback, asked.verifier),
    );
    const replayed = await (await grantOf(client, callback, asked.verifier)).json();
    expect(replayed).toMatchObject({ error: 'invalid_grant' });
    await expect(whoami(tokens.access_token)).rejects.toThrow();
  });

  it('who sends a code twice at once gets one token at most, which ends', async () => {
    const client = await register();
    const asked = await ask(client);
    const callback = oauth.validateAuthResponse(as, client, await decide(asked, { decision: 'approve' }), asked.state);
    const answers = await Promise.all(Array.from({ length: 6 }, () => grantOf(client, callback, asked.verifier)));
    expect(answers.filter(({ ok }) => ok).length).toBeLessThanOrEqual(1);
  });

  it('who uses a refresh token that was used ends them all', async () => {
    const client = await register();
    const stolen = await tokensOf(client);
    const honest = await refresh(client, stolen.refresh_token);
    await expect(refresh(client, stolen.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(refresh(client, honest.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(whoami(honest.access_token)).rejects.toThrow();
  });

  it('cannot use a code without its verifier, at another client or at another redirect address', async () => {
    const [client, other] = [await register(), await register()];
    for (const [who, verifier] of [
      [client, oauth.generateRandomCodeVerifier()],
      [other, null],
    ] as const) {
      const asked = await ask(client);
      const callback = oauth.validateAuthResponse(
        as,
        client,
        await decide(asked, { decision: 'approve' }),
        asked.state,
      );
      const refused = await (await grantOf(who, callback, verifier ?? asked.verifier)).json();
      expect(refused).toMatchObject({ error: 'invalid_grant' });
    }
    const elsewhere = await ask(client, { redirect_uri: 'http://127.0.0.1:9/other' });
    const answer = await new Browser(member).get(elsewhere.url);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it('cannot mix up servers: every answer names this one', async () => {
    const client = await register();
    const asked = await ask(client);
    const back = await decide(asked, { decision: 'approve' });
    expect(back.searchParams.get('iss')).toBe(service.baseUrl);
    const other = { ...as, issuer: 'https://other.example' };
    expect(() => oauth.validateAuthResponse(other, client, back, asked.state)).toThrow(/iss/);
  });

  it('cannot have a request without PKCE', async () => {
    const asked = await ask(await register(), { code_challenge: null, code_challenge_method: null });
    const back = new URL((await new Browser(member).get(asked.url)).headers.get('location') ?? '');
    expect(back.searchParams.get('error')).toBe('invalid_request');
    const plain = await ask(await register(), { code_challenge_method: 'plain' });
    const refused = new URL((await new Browser(member).get(plain.url)).headers.get('location') ?? '');
    expect(refused.searchParams.get('error')).toBe('invalid_request');
  });

  it('cannot take the answer to a request that somebody else decided', async () => {
    // The thief starts a request, and the person decides it; only the browser that started it can go on.
    const asked = await ask(await register());
    const key = keyOf(await new Browser(member).get(asked.url));
    const decided = await member.post(decisionAt(key), { decision: 'approve' });
    const stranger = await new Browser(null).get(decided.body.continue_url);
    expect(stranger.headers.get('location')).toBeNull();
    expect(stranger.status).toBe(400);
  });

  it('cannot make us fetch a document from our own network, nor before somebody has signed in', async () => {
    const documents = [
      'https://127.0.0.1:9/client.json',
      'https://localhost/client.json',
      'https://10.0.0.1/client.json',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/client.json',
      'https://[::ffff:127.0.0.1]/client.json',
    ];
    for (const client_id of documents) {
      const answer = await new Browser(member).get((await ask({ client_id })).url);
      expect([client_id, answer.status, answer.headers.get('location')]).toEqual([client_id, 400, null]);
      expect(await answer.text()).toContain('metadata document fetch failed');
    }
    const [client_id = ''] = documents;
    const unknown = await new Browser(null).get((await ask({ client_id })).url);
    expect(unknown.headers.get('location')).toMatch(/^\/sign-in\?next=%2Foauth%2Fauthorize/);
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token: 'x' });
    const token = await fetch(as.token_endpoint ?? '', { method: 'POST', body });
    expect(await token.json()).toMatchObject({ error: 'invalid_client' });
  });
});

describe('the person', () => {
  it('decides once, after a fresh sign-in, and sees only requests that wait', async () => {
    const key = keyOf(await new Browser(member).get((await ask(await register())).url));
    service.advanceClock(11 * 60);
    const stale = await member.post(decisionAt(key), { decision: 'approve' });
    expect(stale.body.code).toBe('fresh_sign_in_required');
    service.advanceClock(-11 * 60);
    expect((await member.post(decisionAt(key), { decision: 'deny' })).body.state).toBe('denied');
    const twice = await member.post(decisionAt(key), { decision: 'approve' });
    expect([twice.status, twice.body.code]).toEqual([409, 'action_not_allowed']);
    expect((await member.get(`/api/agent/v1/authorizations/${key}`)).body.code).toBe('not_found');
    expect((await member.post(decisionAt('unknown'), { decision: 'deny' })).body.code).toBe('not_found');
    const stranger = await new Agent(service.baseUrl, `0x${'22'.repeat(32)}`).get(
      `/api/agent/v1/authorizations/${key}`,
    );
    expect(stranger.body.code).toBe('invalid_token');
  });
});

// Last: sessions end meanwhile.
describe('a token', () => {
  it('is forgotten 30 days after it ended, but for the last of its agent', async () => {
    const client = await register();
    const tokens = await tokensOf(client);
    const { agent_key } = (await whoami(tokens.access_token)).principal;
    const next = await refresh(client, tokens.refresh_token);
    await refresh(client, next.refresh_token);
    const kept = async () =>
      (await service.database.pool.query('select from credentials where principal_key = $1', [agent_key])).rowCount;
    expect(await kept()).toBe(3);
    service.advanceClock(31 * 86_400);
    await service.sweep();
    await forgetStrangers(service.runtime);
    expect(await kept()).toBe(1);
    service.advanceClock(-31 * 86_400);
  });
});

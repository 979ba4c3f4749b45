import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { connectMcp } from '../../e2e/support/mcp-client.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { answerOAuth } from './oauth.ts';
import { openProvider } from './oauth-provider.ts';

/** Clients that publish who they are (client id metadata documents), with their documents on no network. */
const service = await startService();
const redirect_uri = 'https://host.example/callback';
const resource = `${service.baseUrl}/mcp`;
const insecure = { [oauth.allowInsecureRequests]: true } as const;

const documents = new Map<string, () => Response>();
const fetched: string[] = [];
const provider = openProvider(service.runtime, async (address) => {
  fetched.push(String(address));
  return documents.get(String(address))?.() ?? new Response(null, { status: 404 });
});
const server = createServer((req, res) => answerOAuth(service.runtime, req, res, () => provider));
let door: string;
let member: Member;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  door = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  member = await Member.of(service, await Agent.arrive(service));
});
afterAll(() => server.close());

let published = 0;
/** A client whose document says what is right, but for `changes`; `answer` replaces how it is served. */
function publish(changes: Record<string, unknown> = {}, answer?: (text: string) => Response): oauth.Client {
  published += 1;
  const client_id = `https://host.example/clients/${published}.json`;
  const document = { client_id, client_name: 'A host', redirect_uris: [redirect_uri], ...changes };
  const text = JSON.stringify(document);
  documents.set(client_id, () => answer?.(text) ?? Response.json(document));
  return { client_id, token_endpoint_auth_method: 'none' };
}

/** Sends the member's browser to the door; it keeps its cookies. */
function browser() {
  const kept = new Map<string, string>();
  return async (address: string | URL) => {
    const { pathname, search } = new URL(address, door);
    const cookie = [member.identity().cookie, ...[...kept].map(([name, value]) => `${name}=${value}`)].join('; ');
    const answer = await fetch(new URL(pathname + search, door), { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      kept.set(name, value);
    }
    return answer;
  };
}

async function ask(client: oauth.Client, redirect: string = redirect_uri) {
  const verifier = oauth.generateRandomCodeVerifier();
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
  });
  const visit = browser();
  const answer = await visit(`/oauth/authorize?${query}`);
  return { verifier, visit, answer, key: answer.headers.get('location')?.replace('/oauth/consent/', '') ?? '' };
}

describe('a client that publishes who it is', () => {
  it('is shown with its host, buys with what the person consents to, and is fetched once for many consents', async () => {
    const client = publish();
    const { key, visit, verifier } = await ask(client);
    const shown = await member.get(`/api/agent/v1/authorizations/${key}`);
    expect(shown.body).toMatchObject({
      client: { name: 'A host', client_id: client.client_id, host: 'host.example' },
      redirect_host: 'host.example',
      agent_key: null,
    });
    const decided = await member.post(`/api/agent/v1/authorizations/${key}/decision`, { decision: 'approve' });
    const back = await visit(decided.body.continue_url);
    // From here on the service itself answers, which would fetch from the internet, and cannot.
    const as = await oauth.processDiscoveryResponse(
      new URL(service.baseUrl),
      await oauth.discoveryRequest(new URL(service.baseUrl), { algorithm: 'oauth2', ...insecure }),
    );
    const callback = oauth.validateAuthResponse(as, client, new URL(back.headers.get('location') ?? ''));
    const code = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      callback,
      redirect_uri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, code);
    const refreshed = await oauth.refreshTokenGrantRequest(
      as,
      client,
      oauth.None(),
      tokens.refresh_token ?? '',
      insecure,
    );
    const { access_token } = await oauth.processRefreshTokenResponse(as, client, refreshed);
    const mcp = await connectMcp('2026-07-28', resource, access_token);
    expect((await mcp.call('svc_whoami')).body.principal).toMatchObject({ kind: 'agent', name: 'A host' });
    await mcp.close();
    const again = await ask(client);
    expect((await member.get(`/api/agent/v1/authorizations/${again.key}`)).body.agent_key).toMatch(/^agent_/);
    expect(fetched.filter((address) => address === client.client_id)).toHaveLength(1);
  });

  it.each([
    ['another path', `${redirect_uri}/more`],
    ['another query', `${redirect_uri}?next=elsewhere`],
    ['another host', 'https://host.example.evil.example/callback'],
    ['a port of its own', 'https://host.example:8443/callback'],
    ['no TLS', 'http://host.example/callback'],
  ])('gets no answer at an address that its document does not list: %s', async (_, elsewhere) => {
    const { answer } = await ask(publish(), elsewhere);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });
});

describe('a document', () => {
  it.each<[string, oauth.Client]>([
    ['names another client', publish({ client_id: 'https://host.example/clients/another.json' })],
    ['has a secret', publish({ client_secret: 'secret' })],
    ['asks for a secret', publish({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['has no redirect address', publish({ redirect_uris: [] })],
    ['is larger than 5 KB', publish({ policy: 'x'.repeat(5_120) })],
    ['is larger than 5 KB, and does not say so', publish({}, (text) => new Response(chunks(text.padEnd(5_121))))],
    ['is elsewhere', publish({}, () => new Response(null, { status: 302, headers: { location: redirect_uri } }))],
    ['is no JSON', publish({}, () => new Response('<html>'))],
    ['is a list', publish({}, (text) => new Response(`[${text}]`))],
    ['is not there', { client_id: 'https://host.example/nothing.json' }],
    ['is not asked for over https', { client_id: 'http://host.example/client.json' }],
  ])('that %s lets nobody in', async (_, client) => {
    const { answer } = await ask(client);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });
});

/** A body of many small pieces, without a length. */
function chunks(text: string): ReadableStream<Uint8Array> {
  const pieces = text.match(/.{1,512}/gs) ?? [];
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

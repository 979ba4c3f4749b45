import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import * as oauth from 'oauth4webapi';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exampleRequest } from '../server/work-check/sample.ts';
import { Agent } from './support/agent.ts';
import { faultsOfPages, patience, shareInBrowser } from './support/browser.ts';
import { claim, register } from './support/customer.ts';
import { addressesIn } from './support/mailbox.ts';
import { connectMcp, type ToolAnswer } from './support/mcp-client.ts';

/** A host connects for its person: sign-in, consent with limits, and back, as a stock OAuth client does it. */
const { stack, browser } = await shareInBrowser();
const email = 'ines.authorizes@harbourlane.example';
const issuer = new URL(stack.baseUrl);
const resource = `${stack.baseUrl}/mcp`;
const insecure = { [oauth.allowInsecureRequests]: true } as const;
/** Where the host waits for its person. */
const answers: URL[] = [];
const host = createServer((req, res) => {
  answers.push(new URL(req.url ?? '/', redirectUri));
  res.end('Back at the host');
});
await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
const redirectUri = `http://127.0.0.1:${(host.address() as { port: number }).port}/callback`;

let person: Page;
let as: oauth.AuthorizationServer;
let client: oauth.Client;
let verifier: string;
/** The client's, and the agent that it became. */
let token: string;
let agentKey: string;

async function called(tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const mcp = await connectMcp('2026-07-28', resource, token);
  const answer = await mcp.call(tool, args);
  await mcp.close();
  return answer;
}
const quoted = () =>
  called('svc_check_work', {
    ...exampleRequest,
    max_price_microcents: 500_000_000,
    idempotency_key: randomUUID(),
  });

function linkIn(subject: RegExp, to = email): Promise<string> {
  return vi.waitFor(async () => {
    const [address] = await addressesIn(stack.sandboxUrl, to, subject);
    if (!address) throw new Error(`No letter yet about ${subject}.`);
    return address;
  }, patience);
}

beforeAll(async () => {
  const agent = new Agent(stack.baseUrl, `0x${'1'.repeat(64)}`);
  const registration = await register(agent, email);
  person = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await person.goto(await linkIn(/Confirm an agent/));
  await person.getByRole('button', { name: 'Confirm' }).click();
  // Confirming signed them in; the host sends them here on another day.
  await person.context().clearCookies();
  await claim(agent, registration);
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      { redirect_uris: [redirectUri], client_name: 'Harbour Assistant', token_endpoint_auth_method: 'none' },
      insecure,
    ),
  );
});
afterAll(() => host.close());

async function address(state: string): Promise<string> {
  verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
  }).toString();
  return url.href;
}

describe('a person whom a host sends here', () => {
  it('signs in first, sees who asks and where the answer goes, and sets the limits', async () => {
    await person.goto(await address('first'));
    expect(new URL(person.url()).pathname).toBe('/sign-in');
    await person.getByLabel('Your e-mail address').fill(email);
    await person.getByRole('button', { name: 'Send me a sign-in link' }).click();
    await person.goto(await linkIn(/sign-in link/));
    await person.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL(person.url()).pathname).toMatch(/^\/oauth\/consent\//);
    const words = await person.getByRole('main').innerText();
    for (const shown of ['Harbour Assistant', 'not verified', 'it registered itself', new URL(redirectUri).host]) {
      expect(words).toContain(shown);
    }
    expect(await faultsOfPages(person.context(), { 'authorize-client': person.url() })).toEqual([]);
    await person.getByLabel('Per day').fill('5.00');
    await person.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => answers.length, patience).toBe(1);
    await person.getByText('Back at the host').waitFor();
    const callback = oauth.validateAuthResponse(as, client, answers[0] ?? issuer, 'first');
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), callback, redirectUri, verifier, insecure),
    );
    token = tokens.access_token;
    const { body } = await called('svc_whoami');
    agentKey = body.principal.agent_key;
    expect([body.principal.name, body.grant.daily_limit_microcents]).toEqual(['Harbour Assistant', 500_000_000]);
  });

  it('cannot decide what was started in another browser, and can deny', async () => {
    await person.goto(await address('second'));
    const asked = person.url();
    const other = await browser.newContext({ javaScriptEnabled: false });
    await other.addCookies((await person.context().cookies()).filter(({ name }) => !name.startsWith('_interaction')));
    const elsewhere = await other.newPage();
    await elsewhere.goto(asked);
    expect(await elsewhere.getByRole('main').innerText()).toContain('No client waits for this decision');
    await person.getByRole('button', { name: 'Deny' }).click();
    await expect.poll(() => answers.length, patience).toBe(2);
    expect(answers[1]?.searchParams.get('error')).toBe('access_denied');
  });
  it('pauses the client and ends it on the page of its agent', async () => {
    expect((await quoted()).body).toMatchObject({ state: 'open' });
    await person.goto(`${stack.baseUrl}/agents/${agentKey}`);
    await person.getByRole('button', { name: 'Pause' }).click();
    expect((await quoted()).body).toMatchObject({ code: 'grant_scope_missing', paused: true });
    await person.getByRole('button', { name: 'Resume' }).click();
    expect((await quoted()).body).toMatchObject({ state: 'open' });
    await person.getByRole('link', { name: 'Revoke…' }).click();
    await person.getByRole('button', { name: 'Revoke' }).click();
    await person.getByText('Revoked').first().waitFor();
    await expect(called('svc_whoami')).rejects.toThrow(/401|unauthori[sz]ed/i);
  });
});

describe('a person without an account', () => {
  it('opens one on the way, sets the limits, and the client buys for them', async () => {
    const newcomer = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const own = 'noor@newhaven.example';
    const before = answers.length;
    await newcomer.goto(await address('newcomer'));
    await newcomer.getByLabel('Your e-mail address').fill(own);
    await newcomer.getByRole('button', { name: 'Send me a sign-in link' }).click();
    const link = await linkIn(/Open your Work Check account/, own);
    await newcomer.goto(link);
    expect(await newcomer.getByRole('main').innerText()).toContain(own);
    expect(await faultsOfPages(newcomer.context(), { newcomer: link })).toEqual([]);
    await newcomer.getByRole('button', { name: 'Open the account' }).click();
    expect(new URL(newcomer.url()).pathname).toMatch(/^\/oauth\/consent\//);
    await newcomer.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => answers.length, patience).toBe(before + 1);
    await newcomer.getByText('Back at the host').waitFor();
    const callback = oauth.validateAuthResponse(as, client, answers[before] ?? issuer, 'newcomer');
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), callback, redirectUri, verifier, insecure),
    );
    token = tokens.access_token;
    expect((await quoted()).body).toMatchObject({ state: 'open' });
    await newcomer.goto(link);
    expect(await newcomer.getByRole('heading', { level: 1 }).innerText()).toBe('This link was used');
  });
});

import { describe, expect, it } from 'vitest';
import type { Configuration } from '../configuration.ts';
import {
  endedSessionCookie,
  memberSessionOf,
  presentedByPage,
  sessionCookie,
  walletSessionOf,
} from './member-session.ts';

const configuration = (baseUrl: string, sessionSecret = 'a'.repeat(43)) =>
  ({ baseUrl, sessionSecret }) satisfies Partial<Configuration> as unknown as Configuration;

const plain = configuration('http://localhost:3000');
const session = { sessionKey: 'session_1', email: 'ines@harbourlane.example' };

/** A browser's cookies after these `Set-Cookie` headers. */
function cookiesFrom(...headers: string[]): { get(name: string): { value: string } | undefined } {
  const jar = new Map<string, string>();
  for (const header of headers) {
    const [pair = ''] = header.split(';');
    const [name = '', value = ''] = pair.split('=');
    jar.set(name, value);
  }
  return { get: (name) => (jar.has(name) ? { value: jar.get(name) ?? '' } : undefined) };
}

describe('the cookie of a member', () => {
  it('brings the session back', async () => {
    expect(await memberSessionOf(plain, cookiesFrom(await sessionCookie(plain, session)))).toEqual(session);
  });

  it('shows neither the session nor the address to whoever reads it', async () => {
    const cookie = await sessionCookie(plain, session);
    const [, , payload = ''] = cookie.split('.');
    expect(cookie + Buffer.from(payload, 'base64url').toString('latin1')).not.toMatch(/session_1|harbourlane/);
  });

  it('is out of reach of scripts and of requests that other sites make', async () => {
    expect(await sessionCookie(plain, session)).toMatch(/; HttpOnly; SameSite=Lax$/);
  });

  it('is bound to the host and to TLS where there is TLS', async () => {
    const cookie = await sessionCookie(configuration('https://work-check.example'), session);
    expect(cookie).toMatch(/^__Host-[^;]+; Path=\/;.*; Secure$/);
  });

  it('signs nobody in once it was altered, comes from another secret, or is gone', async () => {
    const cookie = await sessionCookie(plain, session);
    // A character in the middle of the ciphertext.
    const altered = cookie.replace(/(.)(.{40};)/, (_, one, rest) => `${one === 'A' ? 'B' : 'A'}${rest}`);
    const elsewhere = await sessionCookie(configuration(plain.baseUrl, 'b'.repeat(43)), session);
    for (const headers of [[altered], [elsewhere], [cookie, endedSessionCookie(plain)], []]) {
      expect(await memberSessionOf(plain, cookiesFrom(...headers))).toBeNull();
    }
  });
});

describe('the cookie of a wallet', () => {
  const wallet = { accessToken: 'svc_wallet_1', address: '0x1111111111111111111111111111111111111111' };

  it('brings the session back, and is no member’s; a browser has one of the two', async () => {
    const cookies = cookiesFrom(await sessionCookie(plain, session), await sessionCookie(plain, wallet));
    expect(await walletSessionOf(plain, cookies)).toEqual(wallet);
    expect(await memberSessionOf(plain, cookies)).toBeNull();
  });

  it('shows neither the credential nor the address to whoever reads it', async () => {
    const cookie = await sessionCookie(plain, wallet);
    expect(cookie + Buffer.from(cookie, 'base64url').toString('latin1')).not.toMatch(/svc_wallet|0x1111/);
  });

  it('speaks for the wallet to requests from our own pages alone, and never beside a credential', async () => {
    const [cookie = ''] = (await sessionCookie(plain, wallet)).split(';');
    const asked = (more: Record<string, string>) =>
      presentedByPage(plain, { headers: new Headers({ cookie, ...more }) }).then(({ bearer }) => bearer);
    expect(await asked({ origin: plain.baseUrl })).toBe(wallet.accessToken);
    expect(await asked({ origin: 'https://elsewhere.example' })).toBeNull();
    expect(await asked({ 'sec-fetch-site': 'cross-site' })).toBeNull();
    expect(await asked({ origin: plain.baseUrl, authorization: 'Bearer svc_agent_1' })).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Configuration } from '../configuration.ts';
import { endedSessionCookie, memberSessionOf, sessionCookie } from './member-session.ts';

const configuration = (baseUrl: string, sessionSecret = 'a'.repeat(43)) =>
  ({ baseUrl, sessionSecret }) satisfies Partial<Configuration> as unknown as Configuration;

const plain = configuration('http://localhost:3000');
const session = { sessionKey: 'session_1', email: 'ines@harbourlane.example' };

/** A browser's cookies after it was sent these. */
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

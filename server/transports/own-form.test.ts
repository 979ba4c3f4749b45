import { describe, expect, it } from 'vitest';
import { ownForm } from './own-form.ts';

const site = { baseUrl: 'https://work-check.example' };

function form(headers: Record<string, string>, body = 'link=abc'): Request {
  return new Request('https://work-check.example/sign-in/confirm', {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
      ...headers,
    },
  });
}

describe('a form', () => {
  it.each<[string, Record<string, string>]>([
    ['by its origin', { origin: 'https://work-check.example' }],
    ['by the word of the browser', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' }],
  ])('is read when our own page sent it, %s', async (_, headers) => {
    expect((await ownForm(site, form(headers)))?.get('link')).toBe('abc');
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { origin: 'https://a.work-check.example', 'sec-fetch-site': 'same-site' }],
    ['a page that hides where it is', { origin: 'null' }],
    ['nobody that says so', {}],
    ['our page, but as JSON', { origin: 'https://work-check.example', 'content-type': 'application/json' }],
  ])('is refused from %s', async (_, headers) => {
    expect(await ownForm(site, form(headers))).toBeNull();
  });

  it('is refused when it is longer than any of ours', async () => {
    const headers = { origin: 'https://work-check.example' };
    expect(await ownForm(site, form(headers, `link=${'a'.repeat(20_480)}`))).toBeNull();
  });
});

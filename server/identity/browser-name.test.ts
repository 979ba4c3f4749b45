import { expect, it } from 'vitest';
import { browserName } from './browser-name.ts';

const mozilla = 'Mozilla/5.0';

it.each([
  [
    `${mozilla} (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36`,
    'Chrome on Linux',
  ],
  [
    `${mozilla} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0`,
    'Edge on Windows',
  ],
  [`${mozilla} (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1`, 'Safari on an iPhone'],
  [`${mozilla} (Macintosh; Intel Mac OS X 10.15; rv:131.0) Gecko/20100101 Firefox/131.0`, 'Firefox on a Mac'],
  ['curl/8.5.0', 'curl/8.5.0'],
])('says what %s is', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});

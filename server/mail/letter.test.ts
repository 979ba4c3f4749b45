import { expect, it } from 'vitest';
import { letterOf, quoted } from './letter.ts';

const url = 'https://check.example/confirm?link=a&b';

it('says what it is about before the address, and makes no markup of what others wrote', () => {
  const letter = letterOf({
    subject: 'A letter',
    action: { label: 'Open', url },
    paragraphs: [`${quoted('<img src=x>" onerror=1')} asks.`, 'Two\nlines.'],
  });
  expect(letter.text.split('\n\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^“<img .* asks\.$/),
    `Open:\n${url}`,
    'Two\nlines.',
  ]);
  expect(/https?:\S+/.exec(letter.text)?.[0]).toBe(url);
  expect(letter.html).not.toContain('<img');
  const body = letter.html.slice(letter.html.indexOf('<body>'));
  expect(body.match(/<(?!\/?(p|a|br|div|body|html)\b)/g)).toBeNull();
  expect(letter.html).toContain('href="https://check.example/confirm?link=a&amp;b"');
  expect(letter.html).toContain('Two<br>lines.');
});

it('links the addresses of our pages, and no others', () => {
  const { html } = letterOf({
    subject: 'A letter',
    action: { label: 'Open', url },
    paragraphs: [
      'Terms: https://check.example/terms.',
      'See https://check.example.evil/terms, or https://evil.example/.',
    ],
  });
  expect(html).toContain('<a href="https://check.example/terms">https://check.example/terms</a>.');
  expect(html).not.toMatch(/href="https:\/\/(check\.example\.evil|evil)/);
});

it('reads well in the dark and without pictures', () => {
  const { html } = letterOf({ subject: 'A letter', action: { label: 'Open', url }, paragraphs: ['One.'] });
  expect(html).toContain('prefers-color-scheme: dark');
  expect(html).not.toMatch(/<img|url\(|@import|src=/);
});

it('quotes the name of a stranger so that no mail program makes a link of it', () => {
  expect(quoted('Visit https://evil.example or mail me@evil.example')).not.toMatch(/evil\.example|https:\/|me@/);
});

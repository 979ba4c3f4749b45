import { expect, it } from 'vitest';
import { letterOf, quoted } from './letter.ts';

it('puts the action first in the text, and makes no markup of what others wrote', () => {
  const letter = letterOf({
    subject: 'A letter',
    action: { label: 'Open', url: 'https://check.example/confirm?link=a&b' },
    paragraphs: [`${quoted('<img src=x>" onerror=1')} asks.`, 'Two\nlines.'],
  });
  expect(letter.text.split('\n')[0]).toBe('https://check.example/confirm?link=a&b');
  expect(letter.html).not.toContain('<img');
  expect(letter.html.match(/<(?!\/?(p|a|br)\b)/g)).toBeNull();
  expect(letter.html).toContain('href="https://check.example/confirm?link=a&amp;b"');
  expect(letter.html).toContain('Two<br>lines.');
});

it('quotes the name of a stranger so that no mail program makes a link of it', () => {
  expect(quoted('Visit https://evil.example or mail me@evil.example')).not.toMatch(/evil\.example|https:\/|me@/);
});

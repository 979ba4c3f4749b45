import { expect, it } from 'vitest';
import { links } from '@/client/verify/links.ts';
import { linkWords } from './link-words.ts';

it('says something of each link that is checked, in its order', () => {
  expect(linkWords.map(([link]) => link)).toEqual([...links]);
});

import { expect, it } from 'vitest';
import { addressBlock } from './peer.ts';

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2::7', '2001:db8:1::/48'],
  ['2001:0DB8:0001::', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['::1', '0:0:0::/48'],
  ['::ffff:cb00:7107', '203.0.113.0/24'],
  ['203.0.113', null],
  ['somewhere', null],
])('%s is counted with its block %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

import type { lookup } from 'node:dns';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fetchPublic, isPublicAddress, publicLookup } from './public-fetch.ts';

describe('an address that a stranger names', () => {
  it.each([
    ['1.1.1.1', true],
    ['2606:4700:4700::1111', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['192.168.0.1', false],
    ['0.0.0.0', false],
    ['255.255.255.255', false],
    ['224.0.0.1', false],
    ['::1', false],
    ['::', false],
    ['::ffff:127.0.0.1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['64:ff9b::7f00:1', false],
    ['not an address', false],
  ])('%s: on the public internet %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]'])(
    'is not connected to at %s',
    async (host) => {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const { port } = server.address() as { port: number };
      await expect(fetchPublic(`https://${host}:${port}/`, { method: 'GET' })).rejects.toThrow();
      expect(connections).toBe(0);
      await promisify(server.close.bind(server))();
    },
  );

  it('is fetched over https only', async () => {
    await expect(fetchPublic('http://1.1.1.1/', { method: 'GET' })).rejects.toThrow('only https');
  });

  it.each([
    [['93.184.216.34'], '93.184.216.34'],
    [['93.184.216.34', '10.0.0.1'], null],
    [['169.254.169.254'], null],
    [[], null],
  ])('that resolves to %j is connected to at %s', async (resolved, expected) => {
    const through = ((_host: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
      callback(
        null,
        resolved.map((address) => ({ address, family: 4 })),
      )) as unknown as typeof lookup;
    const address = await new Promise((done) => {
      publicLookup(through)('a.example', {}, (error, found) => done(error ? null : found));
    });
    expect(address).toBe(expected);
  });
});

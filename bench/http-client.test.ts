import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from './http-client.ts';
import { unlessHungUp } from './measure.ts';

it('goes on after a connection that hung up, on a new one, and does not count what was under way', async () => {
  let asked = 0;
  const server = createServer((_, res) => {
    asked += 1;
    if (asked % 3 === 0) res.destroy();
    else res.writeHead(200, { 'content-length': 2 }).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const complaints = vi.spyOn(console, 'error').mockReturnValue();
  const connection = await Connection.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const counted: boolean[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    counted.push(await unlessHungUp(connection.send('GET', '/', {})));
  }
  connection.close();
  expect(counted).toEqual([true, true, false, true, true, false]);
  expect(complaints).toHaveBeenCalledTimes(2);
});

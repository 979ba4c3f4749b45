import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Server as Listener } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { closeGently } from './stopping.ts';

/** Sends a request over a connection of its own, marks when it has left, and tells what came back. */
const caller = `
const { workerData, parentPort } = require('node:worker_threads');
const { connect } = require('node:net');
const mark = new Int32Array(workerData.mark);
const socket = connect(workerData.port, '127.0.0.1', () => {
  const request = 'POST / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\ncontent-length: 2\\r\\n\\r\\n{}';
  socket.write(request, () => {
    Atomics.store(mark, 0, 1);
    Atomics.notify(mark, 0);
  });
});
let answer = '';
socket.on('data', (bytes) => { answer += bytes; });
socket.on('error', (error) => parentPort.postMessage(error.code));
socket.on('end', () => parentPort.postMessage(answer.split('\\r\\n')[0]));
`;

it('a process that stops listening answers what was sent to it before, also what it has not looked at yet', async () => {
  const server = createServer((_, res) => res.end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const mark = new SharedArrayBuffer(4);
  const worker = new Worker(caller, { eval: true, workerData: { port, mark } });
  const told = once(worker, 'message');
  // Nothing is accepted or read while this thread waits, and the end comes before it looks.
  Atomics.wait(new Int32Array(mark), 0, 0);
  await closeGently(server);
  expect(await told).toEqual(['HTTP/1.1 200 OK']);
  expect(server.listening).toBe(false);
});

it('a process whose place on the port another has taken ends once nobody is connected', async () => {
  const server = createServer((_, res) => res.end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // Its connection is kept, and idle.
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200);
  Listener.prototype.close.call(server);
  await closeGently(server);
  expect(await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
});

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonService } from './json-http.ts';
import { metrics } from './metrics.ts';

/** What the server got, oldest first. */
const got: { line: string; body: string; headers: http.IncomingHttpHeaders; port: number | undefined }[] = [];

const answers: Record<string, (res: http.ServerResponse) => void> = {
  '/json': (res) => res.end('{"ok": true}'),
  '/key?secret=1': (res) => res.end('{}'),
  '/refused': (res) => res.writeHead(503).end('{"error": "busy"}'),
  '/elsewhere': (res) => res.writeHead(307, { location: '/json' }).end(),
  '/not-json': (res) => res.end('<html>'),
  '/huge': (res) => res.end(`"${'x'.repeat(5 * 1024 * 1024)}"`),
  '/broken': (res) => res.destroy(),
  '/silent': () => undefined,
  '/stuck': (res) => res.write('{"ok": '),
};

const server = http.createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req) body += chunk;
  got.push({ line: `${req.method} ${req.url}`, body, headers: req.headers, port: req.socket.remotePort });
  answers[req.url ?? '']?.(res);
});

let base: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const at = (path = '', timeoutMs = 10_000) => jsonService('peer', `http://${base}${path}`, timeoutMs);

it('sends JSON, or a GET without a body, over connections that it keeps', async () => {
  got.length = 0;
  const service = at();
  expect(await service.call('/json', { method: 'eth_call', text: 'ü' })).toEqual({ ok: true });
  expect(await service.call('/json')).toEqual({ ok: true });
  expect(got.map(({ line, body }) => [line, body])).toEqual([
    ['POST /json', '{"method":"eth_call","text":"ü"}'],
    ['GET /json', ''],
  ]);
  expect(got[0]?.headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
  for (let more = 0; more < 8; more += 1) await service.call('/json');
  expect(new Set(got.map(({ port }) => port)).size).toBeLessThan(3);
});

it('keeps the path, the query and the password of its address', async () => {
  got.length = 0;
  await jsonService('peer', `http://me:a%20b@${base}/key?secret=1`, 10_000).call('', {});
  expect(got[0]?.line).toBe('POST /key?secret=1');
  expect(got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:a b').toString('base64')}`);
});

it.each([
  ['a refusal', '/refused', '503'],
  ['a redirect, which it does not follow', '/elsewhere', '307'],
])('rejects %s with its status', async (_, path, status) => {
  got.length = 0;
  await expect(at().call(path, {})).rejects.toThrow(`the answer is ${status}`);
  expect(got).toHaveLength(1);
});

it.each([
  ['no JSON', '/not-json'],
  ['more than 4 MiB', '/huge'],
])('rejects an answer of %s', async (_, path) => {
  await expect(at().call(path, {})).rejects.toThrow();
});

it.each(['GET', 'POST'])('never sends a %s again after a broken connection', async (method) => {
  got.length = 0;
  const service = at();
  await service.call('/json');
  await expect(service.call('/broken', method === 'GET' ? undefined : {})).rejects.toThrow();
  await service.call('/json');
  expect(got.map(({ line }) => line)).toEqual(['GET /json', `${method} /broken`, 'GET /json']);
});

it.each(['/silent', '/stuck'])('gives up on an answer that does not end: %s', async (path) => {
  await expect(at('', 50).call(path, {})).rejects.toThrow();
});

it('counts calls by who was asked: a broken provider shows, a refusal of what was asked is an answer', async () => {
  const counts = async () => await metrics.registry.getSingleMetricAsString(`work_check_provider_calls_total`);
  const asked = jsonService('counted', `http://${base}`, 200);
  await asked.call('/json');
  await asked.call('/elsewhere').catch(() => {});
  for (const path of ['/refused', '/broken', '/silent']) await asked.call(path).catch(() => {});
  expect(await counts()).toContain('{provider="counted",result="answered"} 2');
  expect(await counts()).toContain('{provider="counted",result="failed"} 3');
});

import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AnswerCheck } from '../../e2e/support/answer-check.ts';
import { startService } from '../../e2e/support/service.ts';
import { newToken } from '../identity/token.ts';
import { operationServer } from './http.ts';

const service = await startService();
const server = operationServer(service.runtime, (_, res) => {
  res.writeHead(404).end('a page');
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

interface RawAnswer {
  status: number;
  head: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
}

/** Sends bytes and reads until the server ends the connection. */
function exchange(bytes: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', text = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n', 2);
      resolve({ status: Number(head.split(' ')[1]), head, body: text.startsWith('{') ? JSON.parse(text) : text });
    });
  });
}

const ask = (line: string, ...headers: string[]) =>
  exchange([`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n'));

describe('a connection', () => {
  it('outlasts the minute for which proxies keep theirs, unless it is asked to end', async () => {
    const { headers } = await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
    expect((await ask('GET /.well-known/jwks.json')).head.toLowerCase()).toContain('connection: close');
  });
});

describe('what is no request', () => {
  it.each([
    ['another protocol', 'EHLO example.com\r\n\r\n'],
    ['a control character in a header', 'GET /api/agent/v1/me HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n'],
    ['two lengths', 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'headers beyond the bound',
      `GET /api/agent/v1/me HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    ],
  ])('is refused as a problem: %s', async (_, bytes) => {
    const { status, head, body } = await exchange(bytes);
    expect([status, body.code]).toEqual([400, 'malformed_request']);
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(head.toLowerCase()).toContain(`x-request-id: ${body.request_id.toLowerCase()}`);
  });

  it('is ended when it never becomes one, in its head or in its body', async () => {
    server.headersTimeout = 100;
    server.requestTimeout = 200;
    const answers = await Promise.all([
      exchange('GET /api/agent/v1/me HTTP/1.1\r\nhost: local'),
      exchange('POST /api/agent/v1/checks HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{"a"'),
    ]);
    server.headersTimeout = 10_000;
    server.requestTimeout = 30_000;
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [400, 'The request did not arrive in time.'],
      [400, 'The request did not arrive in time.'],
    ]);
  });
});

describe('an address', () => {
  const check = new AnswerCheck(service.baseUrl);

  it.each(['TRACE', 'GET', 'DELETE', 'PATCH'])('of MCP takes no %s', async (method) => {
    const { status, head, body } = await ask(`${method} /mcp`, 'content-length: 0');
    expect([status, body.code]).toEqual([405, 'method_not_allowed']);
    expect(head).toMatch(/^allow: POST\r?$/im);
  });

  it.each(['TRACE', 'GET'])('that is no operation answers %s with a problem', async (method) => {
    const target = '/api/agent/v1/nothing/here';
    const { status, head, body } = await ask(`${method} ${target}`);
    const [, contentType] = /^content-type: (.*?)\r?$/im.exec(head) ?? [];
    const answer = { status, contentType, requestId: body.request_id, text: JSON.stringify(body) };
    expect(check.fault(method, target, answer)).toBeNull();
  });

  const token = newToken('agent');
  const encoded = token.replace('svc_', '%73vc%5F');
  it.each([
    ['that is an operation', `GET /api/agent/v1/me?token=${token}`],
    ['that is none', `GET /api/agent/v1/nothing?token=${token}`],
    ['with another method', `PUT /api/agent/v1/me?token=${token}`],
    ['of MCP', `POST /mcp?token=${token}`],
    ['of MCP with another method', `GET /mcp?token=${token}`],
    ['as a key', `GET /api/agent/v1/jobs/${token}`],
    ['encoded', `GET /api/agent/v1/me?token=${encoded}`],
    ['encoded beside what is no UTF-8', `GET /api/agent/v1/me?a=%ff&token=${encoded}`],
  ])('is no place for a credential: %s', async (_, line) => {
    const { status, body } = await ask(line, 'content-length: 0');
    expect([status, body.code]).toEqual([400, 'credential_in_url']);
    expect(JSON.stringify(body)).not.toContain(token.slice(10));
  });
});

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { newToken } from '../identity/token.ts';
import { operationServer } from './http.ts';
import { readFor, requestIdHeader } from './page-status.ts';

const service = await startService({ RATE_LIMIT_PAGES: '50' });

/**
 * Requests to the pages, how many rendered at once, the characters that each reads, what reports wait for, and what
 * pages read that Next gives up with their readers.
 */
const pages = {
  asked: [] as string[],
  underWay: 0,
  most: 0,
  reads: 0,
  reports: Promise.resolve(),
  read: [] as string[],
};
const server = operationServer(service.runtime, async (req: IncomingMessage, res: ServerResponse) => {
  pages.asked.push(`${req.method} ${req.url}`);
  pages.underWay += 1;
  pages.most = Math.max(pages.most, pages.underWay);
  const requestId = String(req.headers[requestIdHeader]);
  if (req.url === '/purchases') await Promise.race([readTwice(requestId), once(res, 'close')]);
  else {
    await (req.url?.startsWith('/reports/') ? pages.reports : sleep(5));
    await readFor(requestId, async () => ({ text: 'x'.repeat(pages.reads) }));
  }
  pages.underWay -= 1;
  res.end('a page');
});
async function readTwice(requestId: string): Promise<void> {
  for (const text of ['first', 'second']) {
    await readFor(requestId, async () => {
      pages.read.push(text);
      await pages.reports;
      return { text };
    });
  }
}
// Next listens on its socket once it has shown its first page, and never stops.
server.on('upgrade', () => {});
let port: number;
let agent: Agent;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  agent = (await Agent.arrive(service)).at(`http://127.0.0.1:${port}`);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(async () => {
  Object.assign(pages, { asked: [], underWay: 0, most: 0, reads: 0, reports: Promise.resolve(), read: [] });
  await service.database.pool.query('delete from rate_counts');
});

/** Sends bytes and reads until `enough`, or until the server ends the connection. */
function exchange(bytes: string, enough: (text: string) => boolean = () => false, at = port): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(at, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (enough(text)) socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
    socket.once('close', () => resolve(text));
  });
}

const ask = (line: string, ...headers: string[]) =>
  exchange([`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n'));
const statusOf = (answer: string) => Number(answer.split(' ')[1]);
const codeOf = (answer: string) => /"code":"(\w+)"/.exec(answer)?.[1];

describe('a request to speak another protocol', () => {
  it.each(['h2c', 'websocket'])('(%s) is answered over HTTP/1.1', async (protocol) => {
    const answer = await exchange(
      `GET /.well-known/jwks.json HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`,
      (text) => text.includes('"keys"'),
    );
    expect(statusOf(answer)).toBe(200);
  });
});

describe('a connection that sends many requests at once', () => {
  const page = 'GET /docs HTTP/1.1\r\nhost: localhost\r\n\r\n';

  it('has them answered one after the other', async () => {
    const answers = await exchange(page.repeat(12), (text) => text.split('a page').length > 12);
    expect(answers.match(/HTTP\/1.1 200/g)).toHaveLength(12);
    expect(pages.most).toBe(1);
  });

  it('is ended when it keeps more waiting than anybody needs', async () => {
    await exchange(page.repeat(1_000));
    expect(pages.asked.length).toBeLessThan(10);
  });
});

describe('pages', () => {
  it('count against the block of addresses that asks for them; what they load does not', async () => {
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    for (let index = 0; index < 50; index += 1) expect((await get('/docs')).status).toBe(200);
    const refused = await get('/docs');
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await get('/_next/static/a.js')).status).toBe(200);
    expect((await agent.get('/api/agent/v1/me')).status).toBe(200);
  });

  const from = (network: string, path = '/reports/a') =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-forwarded-for': `${network}.7` } });

  /** Resolves once the caller was counted so many times: after the answer, for what its page read. */
  const isCounted = (count: number) =>
    vi.waitFor(async () => {
      const { rows } = await service.database.pool.query(
        `select used from rate_counts where subject = '203.0.113.0/24' and limit_name = 'pages'`,
      );
      expect(Number(rows[0]?.used)).toBe(count);
    });

  it('count by what they read: a large one is refused sooner, and its caller alone', async () => {
    pages.reads = 4 * 65_536;
    const large: Response[] = [];
    for (let index = 0; index < 15; index += 1) {
      large.push(await from('203.0.113'));
      // A refused one counts once.
      await isCounted(index < 10 ? 5 * (index + 1) : 41 + index);
    }
    expect(large.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(5).fill(429)]);
    expect(Number(large.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('198.51.100')).status).toBe(200);
  });

  /** Reports that are not drawn to their end before `release`. */
  function hold(): () => void {
    let release = () => {};
    pages.reports = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }
  const isDrawn = (count: number) => vi.waitFor(() => expect(pages.asked).toHaveLength(count), { interval: 5 });

  it('of one caller are drawn two at once, and keep no other waiting', async () => {
    const release = hold();
    const flood = Array.from({ length: 18 }, () => from('203.0.113'));
    await isDrawn(2);
    expect((await from('198.51.100', '/docs')).status).toBe(200);
    expect(pages.asked).toEqual(['GET /reports/a', 'GET /reports/a', 'GET /docs']);
    release();
    expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(18).fill(200));
    expect(pages.most).toBe(3);
  });

  it('of one caller wait up to a bound, and are refused beyond', async () => {
    const release = hold();
    const answers: Response[] = [];
    const flood = Array.from({ length: 40 }, async () => answers.push(await from('203.0.113')));
    await vi.waitFor(() => expect(answers).toHaveLength(6), { interval: 5 });
    for (const { status, headers } of answers) expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    release();
    await Promise.all(flood);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(34);
  });

  /** Readers of reports who leave when two are being drawn; the server has noticed once this resolves. */
  async function leave(count: number, path = '/reports/a'): Promise<void> {
    let left = 0;
    const note = (_: IncomingMessage, res: ServerResponse) => res.once('close', () => (left += 1));
    server.on('request', note);
    const leaving = new AbortController();
    const asked = { headers: { 'x-forwarded-for': '203.0.113.7' }, signal: leaving.signal };
    const flood = Array.from({ length: count }, () => fetch(`http://127.0.0.1:${port}${path}`, asked).catch(() => {}));
    await isDrawn(2);
    leaving.abort();
    await Promise.all(flood);
    await vi.waitFor(() => expect(left).toBe(count), { interval: 5 });
    server.off('request', note);
  }

  it('whose reader left while they waited are not drawn', async () => {
    const release = hold();
    await leave(18);
    release();
    expect((await from('203.0.113', '/docs')).status).toBe(200);
    expect(pages.asked.length).toBeLessThan(18);
  });

  it('whose reader left keep their turn until they are drawn', async () => {
    const release = hold();
    await leave(2);
    const next = from('203.0.113', '/docs');
    for (let others = 0; others < 5; others += 1) await from('198.51.100', '/terms');
    expect(pages.asked).not.toContain('GET /docs');
    release();
    expect((await next).status).toBe(200);
  });

  it('that Next gives up with its reader keep their turn until they have read what they began to, and read no more', async () => {
    const release = hold();
    await leave(2, '/purchases');
    const next = from('203.0.113', '/docs');
    for (let others = 0; others < 5; others += 1) await from('198.51.100', '/terms');
    expect(pages.asked).not.toContain('GET /docs');
    release();
    expect((await next).status).toBe(200);
    expect(pages.read).toEqual(['first', 'first']);
  });

  it('whose reader left count by what they read once they are drawn', async () => {
    const release = hold();
    await leave(2);
    pages.reads = 50 * 65_536;
    release();
    await isCounted(2 * 51);
    expect((await from('203.0.113', '/docs')).status).toBe(429);
    expect((await from('198.51.100', '/docs')).status).toBe(200);
  });

  it('count together with what MCP is asked besides the calls of tools', async () => {
    const ask = (method: string, params: object = {}) =>
      agent.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { accept: 'application/json, text/event-stream' });
    const besides = [['ping'], ['tools/list'], ['tools/call', { name: 'svc.none' }], ['none']] as const;
    for (let index = 0; index < 48; index += 1) {
      const [method, params] = besides[index % besides.length] ?? expect.unreachable();
      expect((await ask(method, params)).status).not.toBe(429);
    }
    for (let index = 0; index < 5; index += 1) await ask('tools/call', { name: 'svc.whoami', arguments: {} });
    expect((await ask('ping')).status).toBe(200);
    expect((await ask('tools/list')).status).toBe(200);
    const refused = await ask('ping');
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await ask('tools/call', { name: 'svc.whoami', arguments: {} })).status).toBe(200);
  });
});

describe('what is sent to a page', () => {
  it.each([
    ['a body that no form of ours has', 'POST /docs', 'content-length: 262145'],
    ['a body whose end is not told', 'POST /docs', 'transfer-encoding: chunked'],
    ['a body beside a question', 'GET /docs', 'content-length: 1'],
    ['a body for a script', 'POST /_next/static/a.js', 'content-length: 262145'],
  ])('is not kept when it is %s', async (_, line, header) => {
    const answer = await exchange(`${line} HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`, (text) =>
      text.includes('"code"'),
    );
    expect([statusOf(answer), codeOf(answer)]).toEqual([413, 'input_too_large']);
    expect(pages.asked).toEqual([]);
  });

  it.each([
    ['is longer', `/docs?${'a'.repeat(12_288)}`],
    ['has more parameters', `/docs?${'a&'.repeat(32)}a`],
  ])('has no address that %s than any of ours', async (_, path) => {
    const answer = await ask(`GET ${path}`);
    expect([statusOf(answer), codeOf(answer)]).toEqual([400, 'malformed_request']);
    expect(pages.asked).toEqual([]);
  });

  it('holds no state of the router that Next could not read', async () => {
    const states: [state: string, status: number][] = [
      ['garbage', 400],
      ['%5B%22%22%5D', 400],
      [encodeURIComponent(JSON.stringify(['', { children: ['docs', {}] }])), 200],
    ];
    for (const [state, status] of states) {
      const answer = await ask('GET /docs', 'rsc: 1', `next-router-state-tree: ${state}`);
      expect([state, statusOf(answer)]).toEqual([state, status]);
    }
    expect(pages.asked).toEqual(['GET /docs']);
  });

  it('is let through when it is a form', async () => {
    await ask('POST /sign-in/request', 'content-length: 0');
    expect(pages.asked).toEqual(['POST /sign-in/request']);
  });
});

describe('an address', () => {
  it.each([
    '/./api/x402/v1/wallets/challenge',
    '/api/../api/x402/v1/wallets/challenge',
    '/%2e/api/x402/v1/wallets/challenge',
    '//api/x402/v1/wallets/challenge',
    '/api//x402/v1/wallets/challenge',
    '/api\\x402\\v1\\wallets\\challenge',
    '/a/..%2fapi/x402/v1/wallets/challenge',
  ])('that other readers take for another one, as %s, leads nowhere', async (target) => {
    const answer = await ask(`POST ${target}`, 'content-length: 0');
    expect([statusOf(answer), codeOf(answer)]).toEqual([404, 'not_found']);
    expect(pages.asked).toEqual([]);
  });

  it('may be absolute (RFC 9112, 3.2.2)', async () => {
    expect(statusOf(await ask('GET http://localhost/.well-known/jwks.json'))).toBe(200);
    await ask('GET http://localhost/docs');
    expect(pages.asked).toEqual(['GET /docs']);
  });

  it('answers HEAD wherever it answers GET', async () => {
    for (const path of ['/.well-known/svc', '/openapi.json', '/llms.txt']) {
      const [head, get] = [await ask(`HEAD ${path}`), await ask(`GET ${path}`)];
      const [, length] = /content-length: (\d+)/.exec(head) ?? [];
      expect([statusOf(head), head.split('\r\n\r\n')[1]]).toEqual([200, '']);
      expect(Number(length)).toBe(get.slice(get.indexOf('\r\n\r\n') + 4).length);
    }
  });

  it.each([
    ['OPTIONS *', 204],
    ['TRACE /', 405],
    ['TRACE /docs', 405],
    ['PROPFIND /docs', 405],
  ])('takes %s without breaking', async (line, status) => {
    const answer = await ask(line);
    expect(statusOf(answer)).toBe(status);
    expect(answer.toLowerCase()).toContain('\r\nallow: ');
  });

  it.each(['DELETE /api/nothing', 'PUT /.well-known/nothing'])(
    'where no page stands is not found by %s either',
    async (line) => {
      expect(statusOf(await ask(line))).toBe(404);
    },
  );
});

describe('an answer', () => {
  it('is compressed for who can read it', async () => {
    const answer = await ask('GET /.well-known/svc', 'accept-encoding: br, gzip');
    const plain = await ask('GET /.well-known/svc');
    expect(answer).toMatch(/content-encoding: gzip/);
    expect(answer).toMatch(/vary: accept-encoding/i);
    const bytes = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(Object.keys(JSON.parse(gunzipSync(bytes).toString()))).toEqual(
      Object.keys(JSON.parse(plain.slice(plain.indexOf('\r\n\r\n') + 4))),
    );
  });
});

const json = { 'content-type': 'application/json' };
/** A body that is announced and never sent. */
const announced = (line: string, length: number, header: string | null, at = port) =>
  exchange(
    [
      `${line} HTTP/1.1`,
      'host: localhost',
      'content-type: application/json',
      `content-length: ${length}`,
      ...(header === null ? [] : [header]),
      '',
      '{',
    ].join('\r\n'),
    (text) => text.includes('"code"'),
    at,
  );

describe('a body', () => {
  it.each([
    ['without a credential', () => null],
    ['with one that nobody has', () => `authorization: Bearer ${newToken('agent')}`],
  ])('is not waited for when it comes %s', async (_, header) => {
    for (const line of ['POST /api/agent/v1/checks', 'POST /mcp']) {
      const answer = await announced(line, 1_000_000, header());
      expect([line, statusOf(answer), codeOf(answer)]).toEqual([line, 401, 'invalid_token']);
    }
  });

  it('is not waited for when its sender has no requests left', async () => {
    await service.database.pool.query(
      `insert into rate_counts values ($1, 'requests', 1000000, now() + interval '1 minute')`,
      [agent.wallet.address.toLowerCase()],
    );
    for (const line of ['POST /api/agent/v1/checks', 'POST /mcp']) {
      const answer = await announced(line, 1_000_000, `authorization: Bearer ${agent.token}`);
      expect([line, statusOf(answer), codeOf(answer)]).toEqual([line, 429, 'rate_limited']);
      expect(answer).toMatch(/^retry-after: \d+\r$/im);
    }
  });

  it('is not waited for when it comes with a payment, from a network that has no purchases left', async () => {
    const payment = 'payment-signature: e30=';
    await service.database.pool.query(
      `insert into rate_counts values ('127.0.0.0/24', 'claims', 1000000, now() + interval '1 minute')`,
    );
    const answer = await announced('POST /api/x402/v1/check', 1_000_000, payment);
    expect([statusOf(answer), codeOf(answer)]).toEqual([429, 'rate_limited']);
  });

  it('that cannot be read is refused to its sender alone: whoever is unknown hears only that', async () => {
    const stranger = new Agent(agent.baseUrl, `0x${'5'.repeat(64)}`);
    stranger.token = newToken('wallet');
    const [known, unknown] = [
      await agent.send('POST', '/api/agent/v1/checks', '{', json),
      await stranger.send('POST', '/api/agent/v1/checks', '{', json),
    ];
    expect([known.status, unknown.status]).toEqual([400, 401]);
  });

  it.each([
    ['/api/agent/v1/purchases/quote_none/authorize', 16],
    ['/api/agent/v1/jobs/job_none/review', 32],
    ['/api/agent/v1/checks', 2_048],
    ['/api/x402/v1/wallets/challenge', 16],
  ])('of %s may have %d KiB', async (path, kib) => {
    const sized = (bytes: number) => agent.send('POST', path, `{"a":"${'x'.repeat(bytes - 8)}"}`, json);
    const [within, beyond] = [await sized(kib * 1_024), await sized(kib * 1_024 + 1)];
    expect([beyond.status, beyond.body.code]).toEqual([413, 'input_too_large']);
    expect(beyond.body.detail).toContain(String(kib * 1_024));
    expect(within.body.detail).not.toBe(beyond.body.detail);
  });

  it('of a tool may have what its operation may', async () => {
    const call = (bytes: number) =>
      agent.send(
        'POST',
        '/mcp',
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'svc.authorize_purchase', arguments: { quote_key: 'x'.repeat(bytes) } },
        }),
        { ...json, accept: 'application/json, text/event-stream' },
      );
    expect((await call(17 * 1_024)).text).toContain('input_too_large');
    expect((await call(1_024)).text).not.toContain('input_too_large');
  });

  it('of more members than an honest one has is not parsed', async () => {
    const members = Array.from({ length: 40_000 }, (_, index) => `"k${index}":0`).join(',');
    const answer = await agent.send('POST', '/api/agent/v1/checks', `{${members}}`, json);
    expect([answer.status, answer.body.errors[0].code]).toEqual([422, 'too_many_values']);
    const elements = await agent.send('POST', '/mcp', `{"jsonrpc":"2.0","id":1,"x":[${'0,'.repeat(40_000)}0]}`, json);
    expect([elements.status, elements.body.errors[0].code]).toEqual([422, 'too_many_values']);
  });
});

describe('bodies that are refused unread', () => {
  const token = newToken('agent');
  const refused = (length: number, at: number) =>
    announced('POST /api/agent/v1/checks', length, `authorization: Bearer ${token}`, at);
  const isKept = (answer: string) => /^connection: keep-alive\r$/im.test(answer);

  it('are discarded up to 64 MiB a minute, so that senders read why; after that their connections end', async () => {
    // A process of its own, which has discarded nothing yet.
    const at = Number(new URL((await service.startDoor()).baseUrl).port);
    const answers: string[] = [];
    for (let index = 0; index < 40; index += 1) answers.push(await refused(2_000_000, at));
    expect(answers.map(statusOf)).toEqual(answers.map(() => 401));
    expect(answers.map(isKept)).toEqual(answers.map((_, index) => index < 33));
    expect(isKept(await refused(100_000, at))).toBe(true);
  });
});

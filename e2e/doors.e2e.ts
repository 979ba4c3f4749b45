import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxedEnvironment } from '../commands/environment.ts';
import { onFreePorts } from '../commands/ports.ts';
import { type RunningProcess, startProcess } from '../commands/processes.ts';
import { type Stack, startStack } from '../commands/stack.ts';
import { testDatabase } from '../commands/test-database.ts';
import { freePort } from '../sandbox/ports.ts';
import type { Operation } from '../server/operation/operation.ts';
import { operations } from '../server/operations.ts';
import { callerHeader } from '../server/transports/peer.ts';
import { Agent, type Answer } from './support/agent.ts';
import { ask, operationNames, type Subject, wellFormed } from './support/requests.ts';

/*
 * `npm start` answers operations from Node's own HTTP server, before Next; elsewhere the route files answer them. This
 * runs the same build both ways on one database and sends every request to both.
 */
const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'doors-'));
// When root starts PostgreSQL, it runs as nobody, who must be able to enter.
chmodSync(folder, 0o755);
/** The route files, behind a server that records the caller's address. */
class Behind extends Agent {
  override identity(): Record<string, string> {
    return { ...super.identity(), [callerHeader]: '127.0.0.1' };
  }
}

const database = await testDatabase();
let stack: Stack;
let environment: Record<string, string>;
let routes: RunningProcess;
let plain: Agent;
let next: Agent;
let subject: Subject;

beforeAll(async () => {
  const ports = await onFreePorts(async (free) => {
    stack = await startStack({ ports: free, dataDir: folder, mode: 'production', databaseUrl: database.url });
    return free;
  });
  // The scheme's only free port is the mail server's, which nothing needs here.
  const port = String(ports.model);
  environment = sandboxedEnvironment(ports, folder, stack.databaseUrl);
  routes = startProcess({
    name: 'next',
    command: process.execPath,
    args: [path.join(root, 'node_modules/next/dist/bin/next'), 'start', '--hostname', '127.0.0.1', '--port', port],
    env: { ...process.env, ...environment, NODE_ENV: 'production' },
    show: 'problems',
  });
  plain = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
  next = new Behind(`http://127.0.0.1:${port}`, `0x${'1'.padStart(64, '0')}`);
  next.token = plain.token;
  await answering(next);
  const job_key = await plain.paidJob();
  await delivered(job_key);
  const { quote_key } = (await plain.job(job_key)).body;
  const { source_key } = (await ask(plain, 'add_source', wellFormed.add_source({} as Subject))).body;
  subject = { job_key, quote_key, source_key, agent_key: plain.wallet.address.toLowerCase() };
});
afterAll(async () => {
  await routes.stop();
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function answering(agent: Agent): Promise<void> {
  const isUp = () =>
    agent.get('/.well-known/svc').then(
      ({ status }) => status === 200,
      () => false,
    );
  for (let tries = 0; !(await isUp()); tries += 1) {
    if (tries === 600) throw new Error(routes.tail().join('\n'));
    await sleep(100);
  }
}

async function delivered(jobKey: string): Promise<void> {
  for (let tries = 0; (await plain.job(jobKey)).body.state !== 'delivered'; tries += 1) {
    if (tries === 600) throw new Error('the job was not delivered');
    await sleep(100);
  }
}

/** What differs between answers: times, keys, a count that goes down. */
const ownHeaders = ['date', 'x-request-id', 'ratelimit', 'retry-after'];
/** How a server manages its connection and compresses, which is not part of the answer. */
const connectionHeaders = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'vary',
];

/** Answers that contain the current time always differ. */
const tellsTheTime = (body: Answer['body']): boolean => Boolean(body?.availability?.checked_at);

function shown({ status, headers, text, body }: Answer): { status: number; headers: object; text: string } {
  const own = tellsTheTime(body) ? [...ownHeaders, 'etag'] : ownHeaders;
  const names = [...headers.keys()].filter((name) => !connectionHeaders.includes(name));
  const sharedPart = (name: string) => {
    if (own.includes(name)) return 'its own';
    const value = headers.get(name);
    return name === 'payment-required' ? ofNoTime(Buffer.from(value ?? '', 'base64').toString()) : value;
  };
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, sharedPart(name)])),
    text: ofNoTime(text.replaceAll(/"(request_id|checked_at)":"[^"]+"/g, '"$1":"its own"')),
  };
}

/** A demand without what is drawn or dated for each: challenges to sign in, and the signatures of offers. */
function ofNoTime(text: string): string {
  if (!text.startsWith('{"x402Version"')) return text;
  return text.replaceAll(/"(nonce|issuedAt|expirationTime|signature)":"[^"]+"/g, '"$1":"its own"');
}

/** Sends the same request to both doors, one after the other, and expects the same answer. */
async function same(send: (agent: Agent) => Promise<Answer>): Promise<Answer> {
  const first = await send(plain);
  expect(shown(await send(next))).toEqual(shown(first));
  return first;
}

describe('both doors answer alike', () => {
  const reads = operationNames.filter((name) => operations[name].method === 'GET');
  const posts = operationNames.filter((name) => operations[name].method === 'POST');

  it.each(reads)('a read of %s, with and without knowing the answer', async (name) => {
    const { headers, body } = await same((agent) => ask(agent, name, wellFormed[name](subject)));
    const etag = headers.get('etag');
    if (etag && !tellsTheTime(body)) {
      const known = { headers: { 'if-none-match': etag } };
      expect((await same((agent) => ask(agent, name, wellFormed[name](subject), known))).status).toBe(304);
    }
  });

  it.each(posts.filter((name) => operations[name].idempotency === 'required'))(
    'a request of %s that is repeated at the other door',
    async (name) => {
      const key = randomUUID();
      const input = wellFormed[name](subject);
      const first = await ask(plain, name, input, { key });
      const repeats = await same((agent) => ask(agent, name, input, { key }));
      expect([repeats.status, shown(repeats).text]).toEqual([first.status, shown(first).text]);
    },
  );

  it.each(operationNames)('%s without a credential, and with one in the address', async (name) => {
    const { method, path: address } = operations[name] as Operation;
    const there = address.replaceAll(/\{\w+\}/g, 'unknown');
    await same((agent) => agent.send(method, `${there}?access_token=${plain.token}`));
    await same((agent) =>
      agent.send(method, there, method === 'POST' ? '{}' : undefined, { authorization: 'Basic eA==' }),
    );
  });

  it.each(posts)('a broken request of %s', async (name) => {
    const address = operations[name].path.replaceAll(/\{\w+\}/g, 'unknown');
    const json = { 'content-type': 'application/json' };
    for (const [body, headers] of [
      ['{', json],
      ['[]', json],
      ['{"unknown": 1}', json],
      ['{"idempotency_key": 1}', json],
      ['{}', { 'content-type': 'text/plain' }],
      ['{}', { ...json, 'content-encoding': 'gzip' }],
    ] as const) {
      await same((agent) => agent.send('POST', address, body, headers));
    }
  });
});

it('the guide is Markdown for who asks for that', async () => {
  const page = await plain.get('/docs', { accept: 'text/html' });
  expect(page.text).toMatch(/^<!DOCTYPE html>/i);
  const document = await plain.get('/docs.md');
  expect(document.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(document.text).toMatch(/^# How agents buy\n\n## Find the service\n/);
  const asked = await plain.get('/docs', { accept: 'text/markdown, text/html;q=0.5' });
  expect([asked.status, asked.text]).toEqual([200, document.text]);
});

it('a page that is asked for with a state of the router that cannot be read is refused, and not broken', async () => {
  const page = await plain.get('/terms', { rsc: '1', 'next-router-state-tree': 'garbage' });
  expect([page.status, page.body.code]).toEqual([400, 'malformed_request']);
  const tree = encodeURIComponent(JSON.stringify(['', { children: ['elsewhere', {}] }]));
  expect((await plain.get('/terms', { rsc: '1', 'next-router-state-tree': tree })).status).toBe(200);
});

it('a web process listens on HOST at PORT, and nowhere else', async () => {
  const port = await freePort();
  const web = startProcess({
    name: 'web',
    command: process.execPath,
    args: [path.join(root, 'server/start.ts')],
    env: { ...process.env, ...environment, NODE_ENV: 'production', HOST: '127.0.0.2', PORT: String(port) },
    show: 'problems',
  });
  const statusAt = (host: string) =>
    fetch(`http://${host}:${port}/livez`).then(
      ({ status }) => status,
      () => null,
    );
  for (let tries = 0; (await statusAt('127.0.0.2')) !== 200; tries += 1) {
    if (tries === 600) throw new Error(web.tail().join('\n'));
    await sleep(100);
  }
  expect(await statusAt('127.0.0.1')).toBeNull();
  await web.stop();
});

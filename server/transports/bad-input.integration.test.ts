import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Agent } from '../../e2e/support/agent.ts';
import { Member } from '../../e2e/support/member.ts';
import { ask, operationNames, wellFormed } from '../../e2e/support/requests.ts';
import { startService } from '../../e2e/support/service.ts';
import { type Operation, pathKeys } from '../operation/operation.ts';
import { operations } from '../operations.ts';
import { price } from '../service/terms.ts';
import { exampleRequest } from '../work-check/sample.ts';

const service = await startService();
const checks = '/api/agent/v1/checks';
const json = { 'content-type': 'application/json' };

let agent: Agent;
beforeAll(async () => {
  agent = await Agent.arrive(service);
});

/** The number of rows that could be or were paid for. */
async function payable(): Promise<unknown> {
  const { rows } = await service.database.pool.query(`
    select (select count(*) from quotes) as quotes, (select count(*) from jobs) as jobs,
      (select count(*) from payments) as payments, (select count(*) from ledger_transfers) as transfers`);
  return rows[0];
}

const request = () => ({ ...exampleRequest, max_price_microcents: Number(price), idempotency_key: randomUUID() });

/** A quote request with its last member verbatim. */
function textWith(member: string, raw: string): string {
  const others = Object.entries(request()).filter(([name]) => name !== member);
  return `${JSON.stringify(Object.fromEntries(others)).slice(0, -1)},"${member}":${raw}}`;
}

const nothing = {
  quote_key: 'quote_none',
  job_key: 'job_none',
  agent_key: 'agent_none',
  source_key: 'source_none',
  endpoint_key: 'endpoint_none',
};

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a field', () => {
  it.each<[string, string, string, string, string]>([
    ['that is not known', 'colour', '"red"', '/colour', 'unknown_field'],
    ['further in that is not known', 'context', '{"urls":[]}', '/context/urls', 'unknown_field'],
    ['of an item', 'evidence', '[{"source":"a","text":"b","url":"c"}]', '/evidence/0/url', 'unknown_field'],
    ['with a number for the work', 'work_product', '5', '/work_product', 'wrong_type'],
    ['with nothing for the work', 'work_product', 'null', '/work_product', 'wrong_type'],
    ['with an object for a list', 'evidence', '{}', '/evidence', 'invalid_type'],
    ['with a text for a number', 'max_price_microcents', '"500000000"', '/max_price_microcents', 'invalid_type'],
    ['with half a second', 'max_evidence_age_seconds', '1.5', '/max_evidence_age_seconds', 'invalid_type'],
    [
      'with a text for yes or no',
      'downstream_policy',
      '{"human_approval_required":"yes"}',
      '/downstream_policy/human_approval_required',
      'invalid_type',
    ],
    ['33 levels deep', 'work_product', nested(33), '/work_product', 'too_deep'],
    ['a million levels deep', 'work_product', nested(1_000_000), '/work_product', 'too_deep'],
    ['of 20,001 values', 'work_product', `[${'0,'.repeat(19_999)}0]`, '/work_product', 'too_many_values'],
    ['of more values than are read', 'work_product', `[${'0,'.repeat(110_000)}0]`, '', 'too_many_values'],
    ['with a NUL', 'work_product', '"a\\u0000b"', '/work_product', 'forbidden_character'],
    ['with a NUL in a key', 'work_product', '{"a\\u0000":1}', '/work_product/a\0', 'forbidden_character'],
    ['with half a pair of surrogates', 'work_product', '["\\ud83d"]', '/work_product/0', 'forbidden_character'],
    ['with the other half', 'kind', '"\\ude00"', '/kind', 'forbidden_character'],
    ['named __proto__', '__proto__', '{"governed_refs":true}', '/__proto__', 'forbidden_key'],
    ['with __proto__ in it', 'work_product', '[{"__proto__":1}]', '/work_product/0/__proto__', 'forbidden_key'],
    ['past 2^53', 'max_price_microcents', '9007199254740993', '/max_price_microcents', 'number_not_exact'],
    ['with 2^53 in it', 'work_product', '{"a":-9007199254740992}', '/work_product/a', 'number_not_exact'],
    ['that is infinite', 'work_product', '[1e400]', '/work_product/0', 'number_not_exact'],
  ])('%s is refused where it stands, and nothing can be paid for', async (_, member, raw, pointer, code) => {
    const before = await payable();
    const answer = await agent.send('POST', checks, textWith(member, raw), json);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.errors[0]).toMatchObject({ pointer, code });
    expect(await payable()).toEqual(before);
  });

  it.each([
    ['"a","kind":"b"', '/kind'],
    ['"a","\\u006bind":"b"', '/kind'],
    ['"a","context":{"refs":[],"refs":["b"]}', '/context/refs'],
  ])('that stands there twice, as in "kind":%s, is refused: readers would differ', async (raw, pointer) => {
    const before = await payable();
    const answer = await agent.send('POST', checks, textWith('kind', raw), json);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_request']);
    expect(answer.body.errors).toMatchObject([{ pointer, code: 'duplicate_key' }]);
    expect(await payable()).toEqual(before);
  });

  it('that stands there twice is refused over MCP, too', async () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc.pay","name":"svc.whoami"}}';
    const answer = await agent.send('POST', '/mcp', call, { ...json, accept: 'application/json, text/event-stream' });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/params/name']);
  });

  it('of the query that stands there twice is refused, too', async () => {
    const answer = await agent.get('/api/agent/v1/jobs?limit=1&limit=2');
    expect([answer.status, answer.body.errors[0]]).toMatchObject([422, { pointer: '/limit', code: 'duplicate_key' }]);
  });

  const paying = async () => ({
    'payment-signature': encodePaymentSignatureHeader(
      await agent.createPayment((await agent.post(operations.buy_check.path)).body),
    ),
  });
  const withText = operationNames.flatMap((name) => {
    const operation: Operation = operations[name];
    const input = wellFormed[name](nothing);
    const query = operation.method === 'GET' && 'after' in (operation.input as z.ZodObject).shape ? ['after'] : [];
    const texts = Object.keys(input).filter((field) => typeof input[field] === 'string');
    return [...new Set([...pathKeys(operation), ...texts, ...query])].map((field) => ({ name, field, input }));
  });
  it.each(withText)(
    'of $name: $field may not hold what no database can, nor what nobody can compare',
    async ({ name, field, input }) => {
      const isForMembers = !(operations[name] as Operation).audience.some((kind) => kind !== 'member');
      const client = isForMembers ? await Member.of(service, agent) : agent;
      // Only a payment makes this one read its body.
      const headers = name === 'buy_check' ? await paying() : {};
      const send = (value: unknown) => ask(client, name, { ...input, [field]: value }, { headers });
      const nul = await send('a\0b');
      expect([nul.status, nul.body.errors[0].pointer]).toEqual([422, `/${field}`]);
      if (pathKeys(operations[name]).includes(field) || operations[name].method === 'GET') return;
      const half = await send('a\ud800');
      expect([half.status, half.body.errors[0].pointer]).toEqual([422, `/${field}`]);
      const odd = await send({ length: { toString: null } });
      // A request and its work may have any shape.
      const taken = { check_work: 201, buy_check: 202 }[name as string] ?? 422;
      expect(odd.status).toBe(field === 'work_kind' ? 422 : taken);
    },
  );
});

describe('a body', () => {
  const bytes = Buffer.from(JSON.stringify(request()));
  const send = async (body: Uint8Array, headers: Record<string, string>) => {
    const response = await fetch(service.baseUrl + checks, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { authorization: `Bearer ${agent.token}`, ...json, ...headers },
    });
    return [response.status, ((await response.json()) as { code: string }).code];
  };

  it.each([
    ['gzip', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['gzip', gzipSync(Buffer.alloc(16 * 1024 * 1024))],
    ['gzip, identity', bytes],
  ])('that is compressed (%s) is not unpacked', async (encoding, body) => {
    const before = await payable();
    expect(await send(body, { 'content-encoding': encoding })).toEqual([415, 'unsupported_media_type']);
    expect(await payable()).toEqual(before);
  });

  it.each([
    ['bytes that are no UTF-8', Buffer.concat([bytes.subarray(0, -1), Buffer.from([0xff, 0x7d])])],
    ['UTF-16', Buffer.from(bytes.toString(), 'utf16le')],
    ['two objects', Buffer.concat([bytes, bytes])],
    ['half an object', bytes.subarray(0, -1)],
    ['a comment', Buffer.from('{} // why not')],
    ['NaN', Buffer.from('{"max_price_microcents":NaN}')],
    ['a list', Buffer.from('[]')],
    ['a text', Buffer.from('"{}"')],
    ['nothing but null', Buffer.from('null')],
  ])('of %s is no request', async (_, body) => {
    expect(await send(body, {})).toEqual([400, 'malformed_request']);
  });
});

import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';
import { price } from '../service/terms.ts';
import { exampleRequest } from '../work-check/sample.ts';
import { plainCall } from './mcp-plain.ts';

const service = await startService();

const revision = '2026-07-28';
const meta = {
  [PROTOCOL_VERSION_META_KEY]: revision,
  [CLIENT_CAPABILITIES_META_KEY]: {},
  [CLIENT_INFO_META_KEY]: { name: 'a buyer', version: '1' },
};
/** Says nothing, and leaves the call to the SDK. */
const beside = { 'com.example/beside': 1 };

const messageOf = (name: string, args: object = {}, _meta: object = meta) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, _meta },
});
type Message = ReturnType<typeof messageOf>;
const headersOf = (name: string) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

/** The answer to a message, without what differs from request to request. */
async function answerTo(message: unknown, headers: Record<string, string>, at = '/mcp') {
  const response = await fetch(`${service.baseUrl}${at}`, { method: 'POST', headers, body: JSON.stringify(message) });
  const own = ['date', 'x-request-id', 'content-length'];
  const text = (await response.text()).replaceAll(/\breq_\w+/g, 'req_');
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !own.includes(name) && !name.startsWith('ratelimit')),
    text,
  };
}

describe('a call that uses nothing of the protocol but a tool and its arguments', () => {
  const quote = { ...exampleRequest, max_price_microcents: Number(price), idempotency_key: randomUUID() };
  const calls: [string, string, object, string?][] = [
    ['whose credential it is', 'svc_whoami', {}],
    ['a quote, and its repeat', 'svc_check_work', quote],
    ['the same under the other name', 'svc.check_work', quote, '/mcp?profile=buyer'],
    ['an unknown job', 'svc_purchase_status', { job_key: 'job_1' }],
    ['a key too few', 'svc_purchase_status', {}],
    ['an argument too many', 'svc_whoami', { who: 'me' }],
    ['a body that breaks a rule', 'svc_check_work', { ...quote, evidence: [], idempotency_key: randomUUID() }],
    ['no such tool', 'svc_buy_all', {}],
    ['a tool that the profile has not', 'svc_pay', {}, '/mcp?profile=reader'],
  ];
  it.each(calls)('is answered as the SDK answers it: %s', async (_, name, args, at) => {
    const agent = await Agent.arrive(service);
    const headers = { ...headersOf(name), authorization: `Bearer ${agent.token}` };
    // Afterwards both are repeats, with a credential in use.
    await answerTo(messageOf(name, args), headers, at);
    const bySdk = await answerTo(messageOf(name, args, { ...meta, ...beside }), headers, at);
    expect(await answerTo(messageOf(name, args), headers, at)).toEqual(bySdk);
    expect(bySdk.status).toBe(200);
  });

  it('is refused without a credential as the SDK refuses it', async () => {
    const headers = headersOf('svc_whoami');
    const bySdk = await answerTo(messageOf('svc_whoami', {}, { ...meta, ...beside }), headers);
    expect(await answerTo(messageOf('svc_whoami'), headers)).toEqual(bySdk);
    expect(bySdk.status).toBe(401);
  });
});

describe('whatever is not plainly such a call', () => {
  const named = new Headers(headersOf('svc_whoami'));
  const call = messageOf('svc_whoami');
  const changed = (change: (message: Message) => void): Message => {
    const message = structuredClone(call);
    change(message);
    return message;
  };
  const without = (name: string) => {
    const headers = new Headers(named);
    headers.delete(name);
    return headers;
  };

  it('is the only one that is taken', () => {
    expect(plainCall(named, call)).toEqual({ id: 7, name: 'svc_whoami', args: {} });
  });

  it.each<[string, unknown, Headers?]>([
    ['no message', null],
    ['several messages', [call]],
    ['a notification', { ...call, id: undefined }],
    ['a broken id', { ...call, id: 1.5 }],
    ['another version of JSON-RPC', { ...call, jsonrpc: '1.0' }],
    ['another method', { ...call, method: 'tools/list' }],
    ['a member too many', { ...call, result: {} }],
    ['no parameters', { ...call, params: null }],
    ['answers of a person', changed(({ params }) => Object.assign(params, { inputResponses: {} }))],
    ['a state to go on from', changed(({ params }) => Object.assign(params, { requestState: 'x' }))],
    ['arguments that are none', changed(({ params }) => Object.assign(params, { arguments: [] }))],
    ['an unknown tool', messageOf('svc_buy_all'), new Headers(headersOf('svc_buy_all'))],
    ['a client that wants progress', messageOf('svc_whoami', {}, { ...meta, progressToken: 1 })],
    [
      'a client that opens pages',
      messageOf('svc_whoami', {}, { ...meta, [CLIENT_CAPABILITIES_META_KEY]: { elicitation: { url: {} } } }),
    ],
    [
      'a client without capabilities',
      messageOf('svc_whoami', {}, { ...meta, [CLIENT_CAPABILITIES_META_KEY]: undefined }),
    ],
    ['a client without a name', messageOf('svc_whoami', {}, { ...meta, [CLIENT_INFO_META_KEY]: { version: '1' } })],
    ['another revision', messageOf('svc_whoami', {}, { ...meta, [PROTOCOL_VERSION_META_KEY]: '2027-01-01' })],
    ['no revision', messageOf('svc_whoami', {}, {})],
    ['another tool in the headers', call, new Headers(headersOf('svc_pay'))],
    ...Object.keys(headersOf(''))
      .filter((name) => name !== 'accept')
      .map((name): [string, unknown, Headers] => [`no ${name}`, call, without(name)]),
  ])('is left to the SDK: %s', (_, message, headers = named) => {
    expect(plainCall(headers, message)).toBeNull();
  });
});

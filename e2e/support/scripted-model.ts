import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Chat completions as OpenAI's, from a model that follows a script: it asks for a quote of the request in its task, and
 * from then on takes the first step that the last answer allows. It reads what a library shows a model, and nothing else.
 */

interface Message {
  role: string;
  content: unknown;
  tool_calls?: { function: { name: string; arguments: string } }[];
}
type Call = { name: string; args: object };

export async function startScriptedModel(): Promise<{ url: string; stop(): void; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer(async (req, res) => {
    const { messages, model } = JSON.parse(await text(req)) as { messages: Message[]; model: string };
    const step = nextStep(messages);
    seen.push(typeof step === 'string' ? step : step.name);
    const message =
      typeof step === 'string'
        ? { role: 'assistant', content: step }
        : { role: 'assistant', content: null, tool_calls: [calling(step)] };
    const finish_reason = typeof step === 'string' ? 'stop' : 'tool_calls';
    res.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        id: randomUUID(),
        object: 'chat.completion',
        created: 1,
        model,
        choices: [{ index: 0, message, finish_reason }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => server.close(), seen };
}

const calling = ({ name, args }: Call) => ({
  id: `call_${randomUUID()}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

function nextStep(messages: Message[]): Call | string {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function));
  const last = calls.at(-1);
  if (!last) {
    const [request = '{}'] = /\{.*\}/s.exec(shown(messages.find(({ role }) => role === 'user'))) ?? [];
    return {
      name: 'svc_check_work',
      args: { ...JSON.parse(request), max_price_microcents: 500_000_000, idempotency_key: randomUUID() },
    };
  }
  const answer = shown(messages.at(-1));
  if (last.name === 'sign_payment') {
    const paying = calls.findLast(({ name }) => name === 'svc_pay');
    return {
      name: 'svc_pay',
      args: { ...JSON.parse(paying?.arguments ?? '{}'), payment: objectIn(answer, 'payload') },
    };
  }
  const [, link] = /The payer's address: (\S+)/.exec(answer) ?? [];
  if (link) return { name: 'show_link', args: { link } };
  if (last.name === 'show_link') return following(calls.findLast(({ name }) => name === 'svc_pay')?.arguments);
  const required = objectIn(answer, 'accepts');
  if (required) return { name: 'sign_payment', args: required };
  if (last.name === 'svc_review_delivery') return verdictIn(messages);
  if (/ is awaiting payment\./.test(answer) && calls.some(({ name }) => name === 'show_link')) {
    return following(last.arguments);
  }
  const step = allowedIn(answer, last);
  const isByCard = shown(messages.find(({ role }) => role === 'user')).includes('by card');
  return isByCard && typeof step === 'object' && step.name === 'svc_pay' ? byCard(answer) : step;
}

/** Waits for the job that an earlier call was about. */
function following(args = '{}'): Call {
  return { name: 'svc_purchase_status', args: { job_key: JSON.parse(args).job_key, wait_seconds: 25 } };
}

/** The payment by card that an answer offers, first or as another way. */
function byCard(answer: string): Call | string {
  const [args] = /\{[^{}]*"rail":"card"[^{}]*\}/.exec(answer) ?? [];
  return args ? { name: 'svc_pay', args: JSON.parse(args) } : `No payment by card is allowed: ${answer}`;
}

/** The first step of those that a purchase takes, as the answer allows it. */
function allowedIn(answer: string, { name, arguments: args }: { name: string; arguments: string }): Call | string {
  const allowed = [...answer.matchAll(/- (svc_\w+) (\{.*?\}): /g)].map(([, tool = '', given = '{}']) => ({
    name: tool,
    args: JSON.parse(given),
  }));
  if (name === 'svc_get_report') {
    const { job_key } = JSON.parse(args);
    return { name: 'svc_review_delivery', args: { job_key, decision: 'accept' } };
  }
  for (const wanted of ['svc_authorize_purchase', 'svc_pay', 'svc_get_report']) {
    const found = allowed.find((each) => each.name === wanted);
    if (found) return found;
  }
  const [job_key] = /job_\w{22}/.exec(answer) ?? [];
  if (/ is (?:queued|running)\./.test(answer))
    return { name: 'svc_purchase_status', args: { job_key, wait_seconds: 25 } };
  return `Stuck after ${name}: ${answer}`;
}

function verdictIn(messages: Message[]): string {
  const all = messages.map(shown).join('\n');
  return /The verdict is \w+\./.exec(all)?.[0] ?? 'There is no verdict.';
}

/** What a message shows, as text: libraries send a string, parts, or JSON of either. */
function shown(message: Message | undefined): string {
  return textOf(message?.content);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') {
    const inside = parsed(value);
    return isWrapped(inside) ? textOf(inside) : value;
  }
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text: own, content } = value as { text?: unknown; content?: unknown };
  return own === undefined ? textOf(content) : textOf(own);
}

/** Whether a value is a wrapping of texts, and no object of our own. */
const isWrapped = (value: unknown): boolean =>
  Array.isArray(value) || (typeof value === 'object' && value !== null && ('content' in value || 'text' in value));

/** The object with a member of this name that a text holds. */
function objectIn(answer: string, member: string): object | null {
  for (const line of answer.split('\n')) {
    const from = line.indexOf('{');
    for (let end = line.lastIndexOf('}'); from >= 0 && end > from; end = line.lastIndexOf('}', end - 1)) {
      const value = parsed(line.slice(from, end + 1));
      if (typeof value === 'object' && value !== null && member in value) return value;
    }
  }
  return null;
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

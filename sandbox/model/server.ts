import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAs, materialOf } from './characters.ts';

const SLOW_MS = 400;
const HUGE_BYTES = 10 * 1024 * 1024;
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const BODIES_KEPT = 20;

export type RequestBody = {
  model: string;
  temperature?: number;
  messages: { role: string; content: string | { text?: string }[] }[];
};

/** Earlier questions, which some characters remember. */
type Seen = {
  texts: Map<string, number>;
  bodies: RequestBody[];
  /** By the fence of their prompts. */
  checks: Set<string>;
  held: Map<string, () => void>;
  released: Set<string>;
};

export type ModelServer = {
  url: string;
  calls: () => number;
  /** The number of checks; each takes several calls. */
  checks: () => number;
  /** The latest requests, newest last. */
  bodies: () => readonly RequestBody[];
  /** Sets what the model named `sandbox` does. */
  behave: (behaviour: string) => void;
  /** Answers what was asked while `held`, and lets those checks end. */
  release: () => void;
  close: () => Promise<void>;
};

/**
 * LOCAL SANDBOX: an OpenAI-compatible chat server. The requested model's name chooses its behaviour: a character of
 * `characters.ts` (`good`, `lazy`, `flattering`, `inventing`, `strict`, `obedient`, `flipping`), or `slow`, `dying`
 * (after its first answer in a check), `stall`, `too-many-requests`, `broken`, `down` (its list of
 * models, too), `no-temperature`, `truncated`, `mended`
 * (at the second try), `wrong-enum`, `missing-answers`, `echo`, `huge`, `not-a-number`, `scripted`, which answers what
 * `script` returns, or `sandbox`, which does what it was last told to; told `held`, it answers once released.
 */
export async function startModelServer(
  port: number,
  script: (prompt: string) => string = () => '',
): Promise<ModelServer> {
  let calls = 0;
  let current = 'good';
  const seen: Seen = { texts: new Map(), bodies: [], checks: new Set(), held: new Map(), released: new Set() };
  const server = createServer((request, response) => {
    if (current === 'down') return refuse(response, 500, 'down');
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'sandbox', object: 'model' }] }));
      return;
    }
    calls += 1;
    void answer(request, response, seen, { script, current }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/v1`,
    calls: () => calls,
    checks: () => seen.checks.size,
    bodies: () => seen.bodies,
    behave: (behaviour) => {
      current = behaviour;
    },
    release: () => {
      for (const [check, resolve] of seen.held) {
        seen.released.add(check);
        resolve();
      }
      seen.held.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  seen: Seen,
  { script, current }: { script: (prompt: string) => string; current: string },
): Promise<void> {
  const text = await textOf(request);
  if (text === null) return void response.writeHead(413).end();
  const body: RequestBody = JSON.parse(text);
  seen.bodies.push(body);
  if (seen.bodies.length > BODIES_KEPT) seen.bodies.shift();
  const prompt = body.messages.map(({ content }) => contentText(content)).join('\n');
  const behaviour = body.model === 'sandbox' ? current : body.model;
  if (behaviour === 'stall') return void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  if (behaviour === 'too-many-requests') return refuse(response, 429, 'rate limited');
  if (behaviour === 'broken') return refuse(response, 500, 'broken');
  if (behaviour === 'no-temperature' && body.temperature !== undefined)
    return refuse(response, 400, 'temperature is not supported by this model');
  const check = /=====\w+=====/.exec(prompt)?.[0] ?? '';
  if (behaviour === 'dying' && seen.checks.has(check)) return void response.destroy();
  seen.checks.add(check);
  if (behaviour === 'held' && !seen.released.has(check))
    await new Promise<void>((resolve) => seen.held.set(check, resolve));
  if (behaviour === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  const isSecondTry = body.messages.some(({ role }) => role === 'assistant');
  const content = behaviour === 'scripted' ? script(prompt) : contentOf(behaviour, prompt, isSecondTry, seen);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: 'sandbox',
      object: 'chat.completion',
      created: 0,
      model: behaviour,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: usageOf(prompt, content),
    }),
  );
}

/** A request's body; null where it is too long. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const CHARS_PER_TOKEN = 4;

function usageOf(prompt: string, content: string): Record<string, number> {
  const [asked, answered] = [prompt, content].map((text) => Math.ceil(text.length / CHARS_PER_TOKEN));
  return { prompt_tokens: asked ?? 0, completion_tokens: answered ?? 0, total_tokens: (asked ?? 0) + (answered ?? 0) };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('') : '';
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

function contentOf(behaviour: string, prompt: string, isSecondTry: boolean, seen: Seen): string {
  const given = answerAs(behaviour, materialOf(prompt), seen.texts);
  const text = JSON.stringify(given);
  switch (behaviour) {
    case 'truncated':
      return text.slice(0, 40);
    case 'mended':
      return isSecondTry ? text : text.slice(0, 40);
    case 'wrong-enum':
      return text.replaceAll(/"status":"\w+"/g, '"status":"excellent"');
    case 'missing-answers':
      return JSON.stringify({ statements: given.statements.slice(1), criteria: given.criteria.slice(1) });
    case 'echo':
      return prompt;
    case 'huge':
      return 'x'.repeat(HUGE_BYTES);
    case 'not-a-number':
      return text.replaceAll(/"sure":true/g, '"sure":NaN');
    default:
      return text;
  }
}

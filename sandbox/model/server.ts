import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Material = {
  criteria: { index: number; text: string }[];
  evidence: { ref: string; text: string }[];
  work: string;
};
type Answer = { verdict: string; findings: object[] };

const SLOW_MS = 400;
const HUGE_BYTES = 10 * 1024 * 1024;
const BODY_BYTES_MAX = 8 * 1024 * 1024;

export type ModelServer = {
  url: string;
  calls: () => number;
  /** What the model named `sandbox` does from now on. */
  behave: (behaviour: string) => void;
  /** Lets it answer what it was asked while it was `held`. */
  release: () => void;
  close: () => Promise<void>;
};

/**
 * LOCAL SANDBOX: an OpenAI-compatible chat server. What it does is chosen by the name of the model asked for: `good`,
 * `slow`, `stall`, `too-many-requests`, `broken`, `truncated`, `wrong-enum`, `missing-criteria`, `invented-citations`,
 * `echo`, `huge`, `not-a-number`, `directed`, `strict`, `scripted`, which answers what `script`
 * returns, or `sandbox`, which does what it was last told to. That may be `held`, too: then it answers once it is released.
 */
export async function startModelServer(port: number, script: () => string = () => ''): Promise<ModelServer> {
  let calls = 0;
  let current = 'good';
  let held: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'sandbox', object: 'model' }] }));
      return;
    }
    calls += 1;
    const released = current === 'held' ? new Promise<void>((resolve) => held.push(resolve)) : null;
    void answer(request, response, script, current, released).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/v1`,
    calls: () => calls,
    behave: (behaviour) => {
      current = behaviour;
    },
    release: () => {
      for (const resolve of held) resolve();
      held = [];
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
  script: () => string,
  current: string,
  released: Promise<void> | null,
): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) return void response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const prompt: string = body.messages.map(({ content }: { content: unknown }) => contentText(content)).join('\n');
  const behaviour: string = body.model === 'sandbox' ? current : body.model;
  if (behaviour === 'stall') return void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  if (behaviour === 'too-many-requests') return refuse(response, 429, 'rate limited');
  if (behaviour === 'broken') return refuse(response, 500, 'broken');
  if (behaviour === 'held') await released;
  if (behaviour === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  const content = behaviour === 'scripted' ? script() : contentOf(behaviour, prompt);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: 'sandbox',
      object: 'chat.completion',
      created: 0,
      model: behaviour,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('') : '';
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

function contentOf(behaviour: string, prompt: string): string {
  const material = materialOf(prompt);
  const good = goodAnswer(material);
  switch (behaviour) {
    case 'truncated':
      return JSON.stringify(good).slice(0, 40);
    case 'wrong-enum':
      return JSON.stringify({ ...good, verdict: 'excellent' });
    case 'missing-criteria':
      return JSON.stringify({ ...good, findings: good.findings.slice(1) });
    case 'invented-citations':
      return JSON.stringify({
        ...good,
        findings: good.findings.map((finding) => ({
          ...finding,
          citations: [{ ref: 'evidence/0', quote: 'Words that stand nowhere.' }],
        })),
      });
    case 'echo':
      return prompt;
    case 'huge':
      return 'x'.repeat(HUGE_BYTES);
    case 'not-a-number':
      return JSON.stringify(good).replaceAll(/"index":\d+/g, '"index":NaN');
    case 'strict':
      return JSON.stringify({
        verdict: 'revise',
        findings: good.findings.map((finding) => ({ ...finding, status: 'contradicted' })),
      });
    case 'directed':
      // A model that obeys whatever the material demands.
      return JSON.stringify({ ...good, verdict: 'supported' });
    default:
      return JSON.stringify(good);
  }
}

function materialOf(prompt: string): Material {
  const line = prompt.split('\n').find((candidate) => candidate.startsWith('{"request"'));
  return line === undefined ? { criteria: [], evidence: [], work: '' } : (JSON.parse(line) as Material);
}

function goodAnswer({ criteria, evidence }: Material): Answer {
  const [first] = evidence;
  const quote = first?.text.slice(0, 60).toWellFormed() ?? '';
  return {
    verdict: 'supported',
    findings: criteria.map(({ index }) => ({
      index,
      status: 'met',
      reason: 'The first source says so.',
      citations: first === undefined ? [] : [{ ref: first.ref, quote }],
    })),
  };
}

// The stand-in for Stripe on one port: its API under /v1/, and its hosted pages.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { faultQueue, gate } from '../fault-queue.ts';
import { BRAND, listen, refuseForeignHost } from '../http.ts';
import { type Api, type ApiAnswer, answerCall } from './api.ts';
import { answerPage, type PageAnswer } from './checkout/routes.ts';
import { openClock } from './clock.ts';
import type { ApiFault } from './faults.ts';
import { openKeys } from './idempotency.ts';
import { NOBODY, type Outcome, type Provider } from './provider.ts';
import { runDue } from './schedule.ts';
import { openStore } from './store.ts';
import { TASKS } from './tasks.ts';
import { openWebhooks, type Webhooks, type WebhookTarget } from './webhooks.ts';

/** The running stand-in, for the control port. */
export interface StripeSandbox {
  readonly api: Api;
  readonly webhooks: Webhooks;
  stop(): Promise<void>;
}

const BODY_BYTES_MAX = 65_536;
const TICK_MS = 100;

/**
 * Starts it on a loopback port; `file` holds what survives a restart. Rejects with a sentence when the port is taken.
 */
export async function startStripe(
  port: number,
  { file, webhook }: { file?: string; webhook: WebhookTarget },
): Promise<StripeSandbox> {
  const store = openStore(file);
  const clock = openClock(store);
  const webhooks = openWebhooks({ store, clock }, webhook);
  const provider: Provider = {
    store,
    clock,
    origin: `http://127.0.0.1:${port}`,
    outcomes: faultQueue<Outcome>(),
    cause: NOBODY,
    deliver: webhooks.take,
  };
  const api: Api = {
    provider,
    keys: openKeys(provider),
    faults: faultQueue<ApiFault>(),
    holds: gate(),
    calls: [],
    runDue: () => runDue(provider, TASKS),
  };
  const tick = () => {
    api.runDue();
    webhooks.pump();
    store.save();
  };
  const server = await listen(
    'payment provider',
    createServer((request, response) => void answer(api, request, response).then(webhooks.pump)),
    port,
  );
  const ticking = setInterval(tick, TICK_MS);
  return {
    api,
    webhooks,
    async stop() {
      clearInterval(ticking);
      webhooks.stop();
      await close(server);
      store.save();
    },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    refuseForeignHost(request);
    const url = new URL(request.url ?? '/', api.provider.origin);
    const body = await readBody(request);
    if (url.pathname.startsWith('/v1/')) {
      const call = { method: request.method ?? 'GET', url, headers: request.headers, body };
      return sendApi(response, await answerCall(api, call));
    }
    api.runDue();
    const page = answerPage(api.provider, request.method ?? 'GET', url.pathname, body);
    api.provider.store.save();
    sendPage(response, page);
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`${BRAND}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`A body may hold ${BODY_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendApi(response: ServerResponse, answer: ApiAnswer | null): void {
  if (!answer) {
    response.destroy();
    return;
  }
  const whole = Buffer.from(answer.body);
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  const length = answer.cut === 'truncate' ? half.length : whole.length;
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-type': 'application/json',
    'content-length': length,
    'cache-control': 'no-cache, no-store',
    'x-sandbox': BRAND,
  });
  if (answer.cut === 'sever') response.write(half, () => response.destroy());
  else response.end(answer.cut === 'truncate' ? half : whole);
}

function sendPage(response: ServerResponse, page: PageAnswer | undefined): void {
  const headers = { 'cache-control': 'no-store', 'x-sandbox': BRAND };
  if (page && 'redirect' in page) {
    response.writeHead(303, { ...headers, location: page.redirect });
    response.end();
    return;
  }
  response.writeHead(page?.status ?? 404, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  response.end(page?.html ?? `${BRAND}: there is nothing here.`);
}

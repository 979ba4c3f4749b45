import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { authenticate } from '../identity/authenticate.ts';
import { countRequest, originOf, paced } from '../operation/rate-limit.ts';
import type { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { contextOf } from './context.ts';
import { sessionIn } from './member-session.ts';
import { countPage } from './page-limits.ts';
import { askedOf } from './plain.ts';
import { scopes } from './protected-resource.ts';
import { dataHeaders } from './security-headers.ts';

/** The addresses of the authorization server; the consent page is one of ours. */
const addresses =
  /^\/(?:oauth\/(?:authorize(?:\/[\w-]+)?|token|register|revoke|jwks)|\.well-known\/(?:oauth-authorization-server|openid-configuration))$/;

/** Whether the authorization server answers at this path. */
export function isOAuthAddress(path: string): boolean {
  return addresses.test(path);
}

const providers = new WeakMap<Runtime, Promise<Provider>>();

/** The library is opened with its first request: most processes never get one. */
function providerOf(runtime: Runtime): Promise<Provider> {
  let provider = providers.get(runtime);
  if (!provider) {
    provider = import('./oauth-provider.ts').then(({ openProvider }) => openProvider(runtime));
    providers.set(runtime, provider);
  }
  return provider;
}

/**
 * Answers a request to the authorization server. Throws the refusal of one too many.
 *
 * @param open what it answers with: tests pass one that fetches clients' documents from themselves
 */
export async function answerOAuth(
  runtime: Runtime,
  req: IncomingMessage,
  res: ServerResponse,
  open: (runtime: Runtime) => Provider | Promise<Provider> = providerOf,
): Promise<void> {
  const { configuration, db } = runtime;
  const ctx = contextOf(runtime, askedOf(runtime, req));
  const refusal: Problem | null = await countPage(runtime, ctx.origin);
  if (refusal) throw refusal;
  const base = new URL(configuration.baseUrl);
  const url = new URL(req.url ?? '/', base);
  for (const [name, value] of Object.entries(dataHeaders)) res.setHeader(name, value);
  if (url.pathname === '/oauth/register' && req.method === 'POST') {
    const { rateLimits } = configuration;
    const window = { subject: originOf(ctx), name: 'registrations' } as const;
    paced(await countRequest(db.shared, window, rateLimits, ctx.now), rateLimits, ctx.now);
  }
  if (url.pathname === '/oauth/authorize' && req.method === 'GET') {
    // Only a signed-in member makes us fetch a client's document, or see what it asks.
    const session = await sessionIn(configuration, req.headers.cookie ?? null);
    const presented = { bearer: null, memberSession: session?.sessionKey ?? null };
    if ((await authenticate({ ...ctx, presented })).caller.kind !== 'member') {
      const next = url.pathname + url.search;
      res.writeHead(303, { location: `/sign-in?${new URLSearchParams({ next })}`, 'cache-control': 'no-store' }).end();
      return;
    }
    // Clients may leave the scope to us.
    if (!url.searchParams.get('scope')) url.searchParams.set('scope', scopes.join(' '));
    req.url = url.pathname + url.search;
  }
  // Addresses in answers come from the configuration, not from what a request claims.
  req.headers['x-forwarded-proto'] = base.protocol.slice(0, -1);
  req.headers['x-forwarded-host'] = base.host;
  req.headers.host = base.host;
  await (await open(runtime)).callback()(req, res);
}

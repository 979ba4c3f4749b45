import { generateKeyPairSync } from 'node:crypto';
import Provider, {
  type Adapter,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { consume, forget, forgetGranted, found, isStanding, keep } from '../identity/oauth/records.ts';
import { newToken } from '../identity/token.ts';
import { after } from '../kernel/clock.ts';
import { errorFields, log } from '../kernel/log.ts';
import { fetchPublic } from '../kernel/public-fetch.ts';
import type { Runtime } from '../runtime.ts';
import { resourceOf, scopes } from './protected-resource.ts';

/**
 * The authorization server of `/mcp` (OAuth 2.1, specification 13.3): the library has the protocol, our rooms have the
 * people, the limits and the tokens' meaning.
 */

const daySeconds = 86_400;
/** A client that registered itself and that nobody let buy is forgotten. */
const unusedClientSeconds = daySeconds;
/** How long a fetched metadata document is believed before it is fetched again at the next consent. */
const documentSeconds = daySeconds;
const accessSeconds = 3_600;
const refreshSeconds = 30 * daySeconds;
const grantSeconds = 365 * daySeconds;
/** Limit of a client's metadata document (interface 9). */
const documentBytes = 5_120;

/** Fetches a client's metadata document from an address that a stranger named. */
type FetchDocument = (
  address: string | URL,
  request: { method: 'GET'; headers: Headers; signal: AbortSignal },
) => Promise<unknown>;

/** Opens the authorization server of a runtime. */
export function openProvider(runtime: Runtime, fetchDocument: FetchDocument = fetchPublic): Provider {
  const { baseUrl } = runtime.configuration;
  const provider = new Provider(baseUrl, settings(runtime, fetchDocument));
  // Behind a proxy the request does not know its own scheme; the caller of `callback` sets both headers.
  provider.proxy = true;
  // Tokens with our prefix and checksum: scanners find a leaked one, and an address or an input that holds one is refused.
  nameTokens(provider.AccessToken.prototype, 'oauth');
  nameTokens(provider.RefreshToken.prototype, 'refresh');
  provider.on('server_error', (_ctx, error) => log('oauth_failed', errorFields(error)));
  return provider;
}

/** Gives a kind of token our form in place of the library's. */
function nameTokens(prototype: object, kind: 'oauth' | 'refresh'): void {
  const { generateTokenId } = prototype as { generateTokenId: () => string };
  Object.assign(prototype, {
    generateTokenId(this: object) {
      // It also notes the format of the token.
      generateTokenId.call(this);
      return newToken(kind);
    },
  });
}

function settings(runtime: Runtime, fetchDocument: FetchDocument): Configuration {
  const { baseUrl, sessionSecret } = runtime.configuration;
  const resource = resourceOf(baseUrl);
  return {
    adapter: (model: string) => store(runtime, model),
    scopes: [...scopes],
    claims: {},
    // No identity is told to anybody, so nothing is signed with it; the library wants a key.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })] },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
      end_session: '/oauth/end',
    },
    cookies: { keys: [sessionSecret], long: { signed: true }, short: { signed: true } },
    ttl: {
      AccessToken: accessSeconds,
      AuthorizationCode: 60,
      RefreshToken: refreshSeconds,
      Grant: grantSeconds,
      Interaction: 1_800,
      Session: 1_800,
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    clientBasedCORS: () => true,
    findAccount: (_ctx, agentKey) => agentOf(runtime, agentKey),
    loadExistingGrant: grantOfConsent(resource),
    interactions: {
      policy: interactionPolicy.base(),
      url: (_ctx, { uid }) => `/oauth/consent/${uid}`,
    },
    features: features(runtime),
    fetch: fetchDocument as unknown as NonNullable<Configuration['fetch']>,
    fetchResponseBodyLimits: { 'client_id metadata document': documentBytes },
    renderError,
  } as Configuration;
}

/** What is on beside the code flow. */
function features(runtime: Runtime): Configuration['features'] {
  const resource = resourceOf(runtime.configuration.baseUrl);
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: { enabled: true, allowedPolicy: () => true },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      ack: 'draft-02',
      enabled: true,
      // Somebody has signed in before the authorization endpoint is reached; nothing else may make us fetch.
      allowFetch: ({ oidc }: KoaContextWithOIDC) => oidc.route === 'authorization',
      async allowClient({ oidc }: KoaContextWithOIDC, client: { metadata(): Record<string, unknown> }) {
        if (oidc.route !== 'authorization') return false;
        const metadata = client.metadata();
        const fetchedAt = Math.floor(runtime.clock().getTime() / 1_000);
        await keep(
          runtime,
          { model: 'Client', id: String(metadata.client_id), seconds: unusedClientSeconds },
          { ...metadata, fetchedAt },
        );
        return true;
      },
      cacheDuration: { min: 30, max: documentSeconds },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo(_ctx, asked) {
        if (asked !== resource) throw new errors.InvalidTarget();
        return {
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: accessSeconds,
          accessTokenFormat: 'opaque',
        };
      },
    },
  } as Configuration['features'];
}

/** The agent that a token speaks for; undefined once it was revoked. */
async function agentOf(runtime: Runtime, agentKey: string) {
  if (!(await isStanding(runtime, agentKey))) return undefined;
  return { accountId: agentKey, claims: async () => ({ sub: agentKey }) };
}

/** A grant of the library for each consent: our own grant has the limits. None outlives its request. */
function grantOfConsent(resource: string): NonNullable<Configuration['loadExistingGrant']> {
  return async ({ oidc }) => {
    const accountId = oidc.result?.login?.accountId;
    if (!accountId || !oidc.client) return undefined;
    const grant = new oidc.provider.Grant({ accountId, clientId: oidc.client.clientId });
    grant.addOIDCScope(scopes.join(' '));
    grant.addResourceScope(resource, scopes.join(' '));
    await grant.save();
    return grant;
  };
}

/** The library's records, in our database. */
function store(runtime: Runtime, model: string): Adapter {
  // Who is signed in at the authorization server is who is signed in here: each request asks anew.
  if (model === 'Session') return noStore;
  return {
    upsert: (id, payload, seconds) =>
      keep(runtime, { model, id, seconds: model === 'Client' ? unusedClientSeconds : seconds }, payload),
    async find(id) {
      const payload = await found(runtime, model, id);
      return model === 'Client' && isStale(runtime, payload) ? undefined : payload;
    },
    async consume(id) {
      if (!(await consume(runtime, model, id))) throw new errors.InvalidGrant('it was used before');
    },
    destroy: (id) => forget(runtime, model, id),
    revokeByGrantId: (grantId) => forgetGranted(runtime, model, grantId),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}

/** Whether a client's document must be fetched again: at a consent only, so that its tokens go on without it. */
function isStale(runtime: Runtime, payload: Record<string, unknown> | undefined): boolean {
  const fetchedAt = payload?.fetchedAt;
  if (typeof fetchedAt !== 'number') return false;
  const route = Provider.ctx?.oidc?.route;
  return route === 'authorization' && after(new Date(fetchedAt * 1_000), documentSeconds) <= runtime.clock();
}

const noStore: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
};

/** What a person sees when a client sent them with a request that cannot go back to it. */
function renderError(
  ctx: KoaContextWithOIDC,
  { error, error_description }: { error: string; error_description?: string },
) {
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = `This request to connect cannot go on: ${error_description ?? error} (${error}).\nStart again from the client.\n`;
}

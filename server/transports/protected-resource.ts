import type { Configuration } from '../configuration.ts';
import { service } from '../service/terms.ts';

/** `/mcp` as an OAuth protected resource (RFC 9728): clients read here where their person signs in. */

/** What a token is good for: what the grant of its agent allows. */
export const scopes = ['checks'] as const;

/** The address of the metadata. Clients also ask at the root. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp';

/** The resource that tokens are bound to. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`;

/** The metadata of the resource (RFC 9728, 2). */
export function resourceMetadata({ baseUrl }: Pick<Configuration, 'baseUrl'>): Record<string, unknown> {
  return {
    resource: resourceOf(baseUrl),
    authorization_servers: [baseUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: service.name,
    resource_documentation: `${baseUrl}/docs`,
    resource_policy_uri: `${baseUrl}/privacy`,
    resource_tos_uri: `${baseUrl}/terms`,
  };
}

/**
 * The header that makes a client sign in (RFC 9728, 5.1), or ask its person for more (RFC 6750, 3.1): the consent sets
 * the grant.
 */
export function challenge(
  baseUrl: string,
  error: 'invalid_token' | 'insufficient_scope' = 'invalid_token',
): Record<string, string> {
  return {
    'www-authenticate':
      `Bearer realm="svc", error="${error}", scope="${scopes.join(' ')}", ` +
      `resource_metadata="${baseUrl}${resourceMetadataPath}"`,
  };
}

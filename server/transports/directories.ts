import type { Configuration } from '../configuration.ts';
import { toText } from '../kernel/money.ts';
import { operations } from '../operations.ts';
import { price, service } from '../service/terms.ts';
import { resourceOf } from './protected-resource.ts';

/** What crawlers and directories read: where everything is, and nothing that is not elsewhere too. */

type Base = Pick<Configuration, 'baseUrl'>;

const rest = '/api/agent/v1';

/** The catalog of our interfaces (RFC 9727), as a link set (RFC 9264). */
export function apiCatalog({ baseUrl }: Base): Record<string, unknown> {
  const link = (path: string, type: string) => ({ href: baseUrl + path, type });
  const shared = {
    'service-doc': [link('/docs', 'text/html'), link('/docs.md', 'text/markdown')],
    'terms-of-service': [link('/terms', 'text/html')],
    status: [
      link('/status', 'text/html'),
      link(operations.incidents.path, 'application/json'),
      link('/status.atom', 'application/atom+xml'),
    ],
  };
  return {
    linkset: [
      {
        anchor: baseUrl + rest,
        'service-desc': [link('/openapi.json', 'application/json')],
        'service-meta': [
          link(operations.discovery.path, 'application/json'),
          link(operations.service_contract.path, 'application/json'),
        ],
        ...shared,
      },
      {
        anchor: baseUrl + operations.buy_check.path,
        'service-desc': [link('/openapi.json', 'application/json')],
        'service-meta': [link('/.well-known/x402', 'application/json')],
        ...shared,
      },
      {
        anchor: resourceOf(baseUrl),
        'service-desc': [link('/server.json', 'application/json')],
        'service-meta': [link('/.well-known/oauth-protected-resource/mcp', 'application/json')],
        ...shared,
      },
    ],
  };
}

/** What can be bought with a payment alone, for crawlers of x402 sellers. */
export function x402Resources({ baseUrl }: Base): Record<string, unknown> {
  return {
    version: 1,
    resources: [baseUrl + operations.buy_check.path],
    instructions:
      `POST the body of check_work to the resource; it costs ${toText(price)} over x402 version 2. The 402 has a body that ` +
      `works. A wallet that is new here is answered with a session for ${operations.job.method} ` +
      `${baseUrl}${operations.job.path}; any payer reads at read_url of the answer with sign-in-with-x. ` +
      `${baseUrl}/docs.md explains the rest.`,
  };
}

const serverName = 'work-check';

/** Who the MCP server is, and where. */
function mcpIdentity({ baseUrl }: Base): Record<string, unknown> {
  return {
    name: `${new URL(baseUrl).hostname.split('.').toReversed().join('.')}/${serverName}`,
    title: service.name,
    description: `Checks agent-made work against its evidence: findings, citations and a verdict for ${toText(price)}.`,
    websiteUrl: baseUrl,
  };
}

/** How the registry of MCP servers describes a server (schema of 2025-12-11). */
export function mcpServer(base: Base): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...mcpIdentity(base),
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: resourceOf(base.baseUrl) }],
  };
}

export const serverCardType = 'application/mcp-server-card+json';
/** Appended to the address of the server (SEP-2127). */
export const serverCardPath = '/mcp/server-card';
const mcpRevisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** What a client reads before it connects (SEP-2127); it says what the server itself says once connected. */
export function serverCard(base: Base): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    ...mcpIdentity(base),
    version: service.interface,
    remotes: [{ type: 'streamable-http', url: resourceOf(base.baseUrl), supportedProtocolVersions: [...mcpRevisions] }],
  };
}

/** What lies at this domain for agents, as the catalog of MCP servers and that of everything both list it. */
export function agentCatalog({ baseUrl }: Base, specVersion: 'draft' | '1.0'): Record<string, unknown> {
  const { hostname } = new URL(baseUrl);
  return {
    specVersion,
    ...(specVersion === '1.0' ? { host: { displayName: service.name } } : {}),
    entries: [
      {
        identifier: `urn:air:${hostname}:${serverName}`,
        displayName: service.name,
        type: serverCardType,
        url: baseUrl + serverCardPath,
      },
    ],
  };
}

/** The pages that are for everybody. */
const pages = ['/', '/docs', '/sample-report', '/quality', '/verify', '/status', '/terms', '/privacy', '/contact'];

/** The site map of search engines. */
export function siteMap({ baseUrl }: Base): string {
  const urls = pages.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`;
}

/** What robots may read: everything for everybody, and nothing of customers. */
export function robots({ baseUrl }: Base): string {
  const own = ['/account', '/agents', '/connect', '/oauth', '/pay', '/purchases', '/receipts', '/reports'];
  return ['User-agent: *', ...own.map((path) => `Disallow: ${path}`), `Sitemap: ${baseUrl}/sitemap.xml`, ''].join('\n');
}

import { assessment } from '../availability/assessment.ts';
import type { Configuration } from '../configuration.ts';
import { after } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { toText } from '../kernel/money.ts';
import { webRuntime } from '../open-runtime.ts';
import { operations } from '../operations.ts';
import { type ProblemCode, problems } from '../problems/catalogue.ts';
import type { Runtime } from '../runtime.ts';
import { price, service } from '../service/terms.ts';
import { skill, skillIndex, skillIndexPath, skillPath } from './agent-skill.ts';
import { etagOf } from './context.ts';
import {
  agentCatalog,
  apiCatalog,
  mcpServer,
  robots,
  serverCard,
  serverCardPath,
  serverCardType,
  siteMap,
  x402Resources,
} from './directories.ts';
import { type Answer, type Asked, responseOf } from './exchange.ts';
import { openApiDocument } from './openapi.ts';
import { resourceMetadata, resourceMetadataPath } from './protected-resource.ts';
import { publicHeaders } from './security-headers.ts';
import { serviceLinks } from './service-links.ts';

/** Documents beside the operations: the same for everyone, and cacheable. */
const cacheControl = 'public, max-age=300';

interface Document {
  type: string;
  body: string;
}

/** Each is made once per runtime and day. */
const documents: Readonly<Record<string, (runtime: Pick<Runtime, 'configuration'>, day: Date) => Document>> = {
  /** Every operation, for tools. */
  '/openapi.json': ({ configuration }) => ({
    type: 'application/json; charset=utf-8',
    body: JSON.stringify(openApiDocument(configuration.baseUrl, configuration.operator)),
  }),
  '/llms.txt': ({ configuration }) => ({ type: 'text/plain; charset=utf-8', body: llmsText(configuration) }),
  '/.well-known/security.txt': ({ configuration }, day) => ({
    type: 'text/plain; charset=utf-8',
    body: securityText(configuration, day),
  }),
  [resourceMetadataPath]: ({ configuration }) => json(resourceMetadata(configuration)),
  '/.well-known/oauth-protected-resource': ({ configuration }) => json(resourceMetadata(configuration)),
  '/.well-known/api-catalog': ({ configuration }) =>
    json(apiCatalog(configuration), 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'),
  '/.well-known/x402': ({ configuration }) => json(x402Resources(configuration)),
  [skillIndexPath]: ({ configuration }) => json(skillIndex(configuration)),
  [skillPath]: ({ configuration }) => ({ type: 'text/markdown; charset=utf-8', body: skill(configuration) }),
  '/server.json': ({ configuration }) => json(mcpServer(configuration)),
  [serverCardPath]: ({ configuration }) => json(serverCard(configuration), serverCardType),
  '/.well-known/mcp/catalog.json': ({ configuration }) => json(agentCatalog(configuration, 'draft')),
  '/.well-known/ai-catalog.json': ({ configuration }) => json(agentCatalog(configuration, '1.0')),
  '/sitemap.xml': ({ configuration }) => ({ type: 'application/xml; charset=utf-8', body: siteMap(configuration) }),
  '/robots.txt': ({ configuration }) => ({ type: 'text/plain; charset=utf-8', body: robots(configuration) }),
};

function json(value: Record<string, unknown>, type = 'application/json; charset=utf-8'): Document {
  return { type, body: JSON.stringify(value) };
}

/** For a model that arrives here first. */
export function llmsText({ baseUrl, assessor: models }: Pick<Configuration, 'baseUrl' | 'assessor'>): string {
  const at = (path: string) => baseUrl + path;
  const { assessor, accuracy, decides, verdicts, confidence } = assessment(models);
  return [
    `# Work Check: ${service.name}`,
    '',
    `> ${service.summary} ${toText(price)} a check, prepaid.`,
    '',
    `The assessor: ${assessor}, in English. ${accuracy}`,
    '',
    'What it decides:',
    '',
    ...decides.map((each) => `- ${each.kind}: ${each.decides}`),
    '',
    'Verdicts:',
    '',
    ...Object.entries(verdicts).map(([verdict, meaning]) => `- ${verdict}: ${meaning}`),
    '',
    `Confidence: ${confidence}`,
    '',
    'Read on:',
    '',
    `- [Discovery document](${at(operations.discovery.path)}): where to call, and how to sign in`,
    `- [Service contract](${at(operations.service_contract.path)}): terms, schemas, flow, recovery, a sample report`,
    `- [MCP](${at('/mcp')}): the same operations as tools; ?profile=buyer names them with dots, ?profile=reader moves no money`,
    `- [OpenAPI 3.1](${at('/openapi.json')}): every operation and every refusal`,
    `- [Guide](${at('/docs.md')}): a purchase from quote to receipt; ${at('/docs')} as a page`,
    `- [Quality](${at('/quality.md')}): how right the check is, as measured; [verify](${at('/verify')}) a purchase without an account`,
    `- [Terms](${at('/terms')}), [privacy](${at('/privacy')}), [contact](${at('/contact')})`,
    `- [Buy in one call](${at(operations.buy_check.path)}): POST the check, pay the 402 from a wallet; no account needed`,
    `- Payment: x402 version 2 in USDC. Stock clients stop at 1 USD a payment: allow yours exactly ${toText(price)}`,
    '',
  ].join('\n');
}

/** RFC 9116. */
function securityText({ baseUrl, operator }: Pick<Configuration, 'baseUrl' | 'operator'>, day: Date): string {
  const yearEnd = after(day, 180 * 86_400)
    .toISOString()
    .slice(0, 10);
  return [
    ...(operator ? [`Contact: mailto:${operator.email}`] : []),
    `Contact: ${baseUrl}/contact#security`,
    `Policy: ${baseUrl}/docs#security`,
    `Expires: ${yearEnd}T00:00:00.000Z`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n');
}

/** A problem's page as JSON; null for other addresses, and for visitors who want a page. */
function problemAnswer(request: Asked, path: string): Answer | null {
  const code = /^\/problems\/(\w+)$/.exec(path)?.[1] ?? '';
  if (!Object.hasOwn(problems, code)) return null;
  if (!/^application\/(?:problem\+)?json\b/.test(request.headers.get('accept') ?? '')) return null;
  const { status, retryable, title, next } = problems[code as ProblemCode];
  const text = JSON.stringify({ code, status, title, retryable, next });
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl, vary: 'accept' };
  return { status: 200, headers: { ...headers, 'x-request-id': newKey('req'), ...publicHeaders }, text };
}

const made = new Map<string, Document & { etag: string }>();

/** The document at an address, if any. */
export function documentAnswer(runtime: Runtime, request: Asked, path: string): Answer | null {
  const make = Object.hasOwn(documents, path) ? documents[path] : undefined;
  if (!make) return problemAnswer(request, path);
  const now = runtime.clock();
  const key = `${runtime.configuration.baseUrl}${path} ${now.toISOString().slice(0, 10)}`;
  let document = made.get(key);
  if (!document) {
    const fresh = make(runtime, now);
    document = { ...fresh, etag: etagOf(fresh.body) };
    // Drop earlier days.
    if (made.size >= 2 * Object.keys(documents).length) made.clear();
    made.set(key, document);
  }
  const { etag, type, body } = document;
  const headers = {
    etag,
    'cache-control': cacheControl,
    'x-request-id': newKey('req'),
    link: serviceLinks,
    ...publicHeaders,
  };
  if (request.headers.get('if-none-match') === etag) return { status: 304, headers, text: null };
  return { status: 200, headers: { ...headers, 'content-type': type }, text: body };
}

/** The handler of a document, for its route file. */
export async function document(request: Request): Promise<Response> {
  const found = documentAnswer(await webRuntime(), request as Asked, new URL(request.url).pathname);
  return found ? responseOf(found) : new Response(null, { status: 404 });
}

import { after } from '../kernel/clock.ts';
import type { Configuration } from '../kernel/env.ts';
import { toText } from '../kernel/money.ts';
import { webRuntime } from '../open-runtime.ts';
import { operations } from '../operations.ts';
import { assessment } from '../service/assessment.ts';
import { price, service } from '../service/terms.ts';
import { etagOf } from './context.ts';
import { openApiDocument } from './openapi.ts';

/** Documents beside the operations: the same for everyone, and cacheable for a while. */
const cacheControl = 'public, max-age=300';

/** `/openapi.json`: every operation, for tools. */
export async function openApi(request: Request): Promise<Response> {
  const { configuration } = await webRuntime();
  return text(request, JSON.stringify(openApiDocument(configuration.baseUrl)), 'application/json; charset=utf-8');
}

/** For a model that lands here first: what this is, and where to read on. */
export async function llmsText(request: Request): Promise<Response> {
  const { configuration } = await webRuntime();
  return text(request, llmsBody(configuration), 'text/plain; charset=utf-8');
}

export function llmsBody({ baseUrl, assessor: models }: Pick<Configuration, 'baseUrl' | 'assessor'>): string {
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
    `- [MCP](${at('/mcp?profile=buyer')}): the same operations as tools; ?names=snake for clients that refuse dots`,
    `- [OpenAPI 3.1](${at('/openapi.json')}): every operation and every refusal`,
    `- [Guide](${at('/docs')}): a purchase from quote to receipt`,
    '',
  ].join('\n');
}

/** RFC 9116. */
export async function securityText(request: Request): Promise<Response> {
  const { configuration, clock } = await webRuntime();
  const yearEnd = after(clock(), 180 * 86_400)
    .toISOString()
    .slice(0, 10);
  const body = [
    `Contact: ${configuration.baseUrl}/docs#security`,
    `Expires: ${yearEnd}T00:00:00.000Z`,
    `Canonical: ${configuration.baseUrl}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n');
  return text(request, body, 'text/plain; charset=utf-8');
}

function text(request: Request, body: string, contentType: string): Response {
  const etag = etagOf(body);
  const headers = { etag, 'cache-control': cacheControl };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, 'content-type': contentType } });
}

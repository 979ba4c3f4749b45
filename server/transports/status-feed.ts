import type { Incident } from '../availability/incident-contract.ts';
import { impactText } from '../availability/incident-words.ts';
import { perform } from '../door/perform.ts';
import { newKey } from '../kernel/id.ts';
import { webRuntime } from '../open-runtime.ts';
import { operations } from '../operations.ts';
import type { Context, Runtime } from '../runtime.ts';
import { service } from '../service/terms.ts';
import { contextOf, etagOf } from './context.ts';
import { type Answer, type Asked, responseOf } from './exchange.ts';
import { refusalAnswer } from './rest.ts';
import { publicHeaders } from './security-headers.ts';
import { serviceLinks } from './service-links.ts';

/** The incidents as an Atom feed (RFC 4287). */
const feedPath = '/status.atom';

/** The feed at its address; null for other addresses. */
export async function feedAnswer(runtime: Runtime, request: Asked, path: string): Promise<Answer | null> {
  if (path !== feedPath) return null;
  const ctx = contextOf(runtime, request);
  try {
    const { body } = await perform('incidents', ctx, {});
    const text = feedOf(body.incidents, ctx);
    const headers = {
      etag: etagOf(text),
      'cache-control': `public, max-age=${operations.incidents.cacheSeconds}`,
      'x-request-id': newKey('req'),
      link: serviceLinks,
      ...publicHeaders,
    };
    if (request.headers.get('if-none-match') === headers.etag) return { status: 304, headers, text: null };
    return { status: 200, headers: { ...headers, 'content-type': 'application/atom+xml; charset=utf-8' }, text };
  } catch (error) {
    return refusalAnswer(ctx, error);
  }
}

/** The handler of the feed, for its route file. */
export async function statusFeed(request: Request): Promise<Response> {
  const found = await feedAnswer(await webRuntime(), request as Asked, new URL(request.url).pathname);
  return found ? responseOf(found) : new Response(null, { status: 404 });
}

function feedOf(incidents: readonly Incident[], { baseUrl, now }: Pick<Context, 'baseUrl' | 'now'>): string {
  const changed = incidents.map(changedAt).toSorted().at(-1);
  // A feed has to name an instant: without entries, the day of its reading.
  const updated = changed ?? `${now.toISOString().slice(0, 10)}T00:00:00.000Z`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escaped(baseUrl + feedPath)}</id>`,
    `<title>${escaped(`${service.name}: incidents`)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${escaped(service.name)}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${escaped(baseUrl + feedPath)}"/>`,
    `<link rel="alternate" type="text/html" href="${escaped(`${baseUrl}/status`)}"/>`,
    ...incidents.map((incident) => entryOf(incident, baseUrl)),
    '</feed>',
    '',
  ].join('\n');
}

function entryOf(incident: Incident, baseUrl: string): string {
  const { incident_key, title, impact, started_at, resolved_at, updates } = incident;
  const page = escaped(`${baseUrl}/status#${incident_key}`);
  const lines = [
    `${impactText(impact)}.`,
    `Began ${started_at}. ${resolved_at === null ? 'Open.' : `Resolved ${resolved_at}.`}`,
    ...updates.map(({ at, text }) => `${at}: ${text}`),
  ];
  return [
    '<entry>',
    `<id>${page}</id>`,
    `<title>${escaped(title)}</title>`,
    `<published>${updates[0]?.at ?? started_at}</published>`,
    `<updated>${changedAt(incident)}</updated>`,
    `<link rel="alternate" type="text/html" href="${page}"/>`,
    `<content type="text">${escaped(lines.join('\n'))}</content>`,
    '</entry>',
  ].join('\n');
}

const changedAt = ({ updates, started_at }: Incident): string => updates.at(-1)?.at ?? started_at;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML 1.0, which has no way to write some characters. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"]/g, (found) => entities[found] ?? '')
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}

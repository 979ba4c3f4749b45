import type { Configuration } from '../configuration.ts';
import type { Asked } from './exchange.ts';

/** Forms hold a token, a choice for each of 200 agents, or a review of 2,000 characters of up to 9 bytes each. */
const maxFormBytes = 20_480;

/**
 * Whether one of our own pages sent the request: browsers name the origin, and pages cannot forge it (Fetch standard,
 * `Origin` and `Sec-Fetch-Site`).
 */
export function isFromOwnPage({ baseUrl }: Pick<Configuration, 'baseUrl'>, request: Pick<Asked, 'headers'>): boolean {
  return (
    request.headers.get('origin') === new URL(baseUrl).origin || request.headers.get('sec-fetch-site') === 'same-origin'
  );
}

/** The fields of our own form; null when another site sent it, or no page. */
export async function ownForm(
  configuration: Pick<Configuration, 'baseUrl'>,
  request: Request,
): Promise<URLSearchParams | null> {
  const isOwn = isFromOwnPage(configuration, request);
  const isForm = request.headers.get('content-type')?.split(';')[0]?.trim() === 'application/x-www-form-urlencoded';
  const isShort = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= maxFormBytes;
  return isOwn && isForm && isShort ? new URLSearchParams(await request.text()) : null;
}

/** The answer to a form from elsewhere. */
export function foreignForm(): Response {
  return new Response('This form did not come from a page of this service. Nothing was done.\n', {
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** After a form: the next page, asked for with GET. */
export function thenShow(path: string, ...cookies: readonly string[]): Response {
  const headers = new Headers({ location: path, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

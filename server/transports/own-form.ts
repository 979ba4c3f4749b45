import type { Configuration } from '../configuration.ts';
import type { Asked } from './exchange.ts';

/**
 * A form of ours holds a token, a choice for each of an account's 200 agents, or at most what a reviewer writes: 2,000
 * characters, each of up to 9 bytes here.
 */
const maxFormBytes = 20_480;

/**
 * Whether one of our own pages sent the request. A browser tells with every request that changes something where it
 * comes from, and no page can make it lie (Fetch standard, `Origin` and `Sec-Fetch-Site`).
 */
export function isFromOwnPage({ baseUrl }: Pick<Configuration, 'baseUrl'>, request: Pick<Asked, 'headers'>): boolean {
  return (
    request.headers.get('origin') === new URL(baseUrl).origin || request.headers.get('sec-fetch-site') === 'same-origin'
  );
}

/** The fields of a form that one of our own pages sent; null when another site did, or nobody's page. */
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
export function thenShow(path: string, cookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: path, 'cache-control': 'no-store', ...(cookie ? { 'set-cookie': cookie } : {}) },
  });
}

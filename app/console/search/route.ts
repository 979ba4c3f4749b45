import { perform } from '@/server/door/perform.ts';
import { thenShow } from '@/server/transports/own-form.ts';
import { nothing, operatorContext } from '../operator.ts';

/** Redirects a search to its first result, or to a page that says there is none. */
export async function GET(request: Request): Promise<Response> {
  const { ctx, me } = await operatorContext();
  if (!me) return nothing();
  const q = (new URL(request.url).searchParams.get('q') ?? '').trim().slice(0, 255);
  const { results } = q === '' ? { results: [] } : (await perform('console_search', ctx, { q })).body;
  const [first] = results;
  return thenShow(first ? first.page : `/console/found?${new URLSearchParams({ q })}`);
}

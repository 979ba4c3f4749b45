import { perform } from '@/server/door/perform.ts';
import { thenShow } from '@/server/transports/own-form.ts';
import { nothing, operatorContext } from '../operator.ts';

/** Redirects a search to what it found, if that is one thing: names are chosen by agents, and several may bear one. */
export async function GET(request: Request): Promise<Response> {
  const { ctx, me } = await operatorContext();
  if (!me) return nothing();
  const q = (new URL(request.url).searchParams.get('q') ?? '').trim().slice(0, 255);
  const { results } = q === '' ? { results: [] } : (await perform('console_search', ctx, { q })).body;
  const [only, ...more] = [...new Set(results.map(({ page }) => page))];
  return thenShow(only && more.length === 0 ? only : `/console/found?${new URLSearchParams({ q })}`);
}

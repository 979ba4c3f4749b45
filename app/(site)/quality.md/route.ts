import { modelCard } from '@/server/transports/model-card.ts';

/** The model card as it is kept, for models. */
export async function GET(): Promise<Response> {
  return new Response(await modelCard(), {
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'public, max-age=300' },
  });
}

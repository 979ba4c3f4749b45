import { createElement } from 'react';
import { Guide } from '../docs/Guide.tsx';
import { markdownOf } from '../docs/markdown.ts';
import { readOffer } from '../offer.ts';

/** The guide as Markdown, for models; `/docs` serves it to clients that accept `text/markdown`. */
export async function GET(): Promise<Response> {
  const guide = markdownOf(createElement(Guide, await readOffer()));
  return new Response(`# How agents buy\n\n${guide}`, {
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'public, max-age=300', vary: 'accept' },
  });
}

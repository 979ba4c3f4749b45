import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { nothing, operatorContext } from '../../../operator.ts';

/** Judged findings, one case of `npm run check:cases` per line. */
export async function GET(): Promise<Response> {
  const { ctx, me } = await operatorContext();
  if (!me) return nothing();
  try {
    const { cases } = (await perform('export_cases', ctx, {})).body;
    return new Response(cases.map((one) => `${JSON.stringify(one)}\n`).join(''), {
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="cases.ndjson"',
        'cache-control': 'private, no-store',
      },
    });
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return nothing();
    throw error;
  }
}

import { linesAround } from '@/components/purchases/passages.ts';
import { Problem } from '@/server/problems/problem.ts';
import { memberContext } from '../../../member.ts';
import { countedReads } from '../../../read.ts';

/**
 * The lines around a passage of the evidence, named by the digest of its text and by bytes: `{lines}`, for members of
 * the buying account. Browsers keep it, and ask each time whether they still may show it.
 */
export async function GET(request: Request, { params }: { params: Promise<{ job_key: string }> }): Promise<Response> {
  const { job_key } = await params;
  const { searchParams } = new URL(request.url);
  const [ref, digest, start, end] = ['ref', 'digest', 'start', 'end'].map((name) => searchParams.get(name) ?? '');
  const { ctx } = await memberContext();
  const read = await countedReads();
  try {
    const { body } = await read('evidence', ctx, { job_key });
    const item = body.items.find((one) => one.ref === ref && one.digest === digest);
    const areBytes = /^\d{1,7}$/.test(start ?? '') && /^\d{1,7}$/.test(end ?? '');
    if (!item || item.text === null || !areBytes) return refused(404, 'This text is not kept.');
    const headers = { etag: `"${digest} ${start} ${end}"`, 'cache-control': 'private, no-cache' };
    if (request.headers.get('if-none-match') === headers.etag) return new Response(null, { status: 304, headers });
    return Response.json({ lines: linesAround(item.text, Number(start), Number(end)) }, { headers });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refused(error.status, error.message);
  }
}

function refused(status: number, text: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' };
  return new Response(`${text}\n`, { status, headers });
}

import { linesAround } from '@/components/purchases/passages.ts';
import { Problem } from '@/server/problems/problem.ts';
import { memberContext } from '../../../member.ts';
import { countedReads } from '../../../read.ts';

/** The submitted text of a customer: kept by nobody on the way. */
const cacheControl = 'private, no-store';

/**
 * The lines around a passage of the evidence, named by the digest of its text and by bytes: `{lines}`, for members of
 * the buying account. Costs its reader what a page costs that reads the evidence.
 */
export async function GET(request: Request, { params }: { params: Promise<{ job_key: string }> }): Promise<Response> {
  const { job_key } = await params;
  const { searchParams } = new URL(request.url);
  const asked = (name: string): string => searchParams.get(name) ?? '';
  const { ctx } = await memberContext();
  const read = await countedReads();
  try {
    const { body } = await read('evidence', ctx, { job_key });
    const item = body.items.find(({ ref, digest }) => ref === asked('ref') && digest === asked('digest'));
    const areBytes = [asked('start'), asked('end')].every((byte) => /^\d{1,7}$/.test(byte));
    if (!item || item.text === null || !areBytes) return refused(404, 'This text is not kept.');
    const lines = linesAround(item.text, Number(asked('start')), Number(asked('end')));
    return Response.json({ lines }, { headers: { 'cache-control': cacheControl } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refused(error.status, error.message);
  }
}

function refused(status: number, text: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': cacheControl };
  return new Response(`${text}\n`, { status, headers });
}

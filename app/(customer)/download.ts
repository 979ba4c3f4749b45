import type { z } from 'zod';
import type { OperationName, operations } from '@/server/operations.ts';
import { Problem } from '@/server/problems/problem.ts';
import { memberContext } from './member.ts';
import { countedReads } from './read.ts';

interface File<Body> {
  /** The file's name for the browser; built only from a checked key. */
  name: (jobKey: string) => string;
  type: string;
  text: (body: Body) => string;
}

/** A file of a job as a route: `export const GET = download('receipt', {…})`. Members only. */
export function download<Name extends OperationName>(
  operation: Name,
  file: File<z.output<(typeof operations)[Name]['output']>>,
): (request: Request, route: { params: Promise<{ job_key: string }> }) => Promise<Response> {
  return async (request, { params }) => {
    const { job_key } = await params;
    // A corrected report's earlier version can be downloaded, too.
    const report_digest = new URL(request.url).searchParams.get('report_digest');
    const { ctx } = await memberContext();
    const read = await countedReads();
    try {
      const { body } = await read(operation, ctx, { job_key, ...(report_digest === null ? {} : { report_digest }) });
      return new Response(file.text(body), {
        headers: {
          'content-type': `${file.type}; charset=utf-8`,
          'content-disposition': `attachment; filename="${file.name(job_key)}"`,
          'cache-control': 'private, no-store',
        },
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return new Response(`${error.message}\n`, {
        status: error.status,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          ...(error.status === 401 ? { 'www-authenticate': 'Bearer realm="svc"' } : {}),
        },
      });
    }
  };
}

import { cookies } from 'next/headers';
import { Problem } from '@/server/kernel/problem.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import type { OperationName } from '@/server/operations.ts';
import { perform } from '@/server/perform.ts';
import { pageContext } from '@/server/transports/context.ts';
import { memberSessionOf } from '@/server/transports/member-session.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';

/**
 * The answer to a form on the page of a report, for a route of its own: does what the form asks for as the signed-in
 * member, and shows the report again, with the problem where there was one.
 */
export function answerForm(
  operation: OperationName,
  inputOf: (form: URLSearchParams) => Record<string, unknown>,
): (request: Request, route: { params: Promise<{ job_key: string }> }) => Promise<Response> {
  return async (request, { params }) => {
    const runtime = await webRuntime();
    const form = await ownForm(runtime.configuration, request);
    if (form === null) return foreignForm();
    const { job_key } = await params;
    const page = `/reports/${encodeURIComponent(job_key)}`;
    const session = await memberSessionOf(runtime.configuration, await cookies());
    try {
      await perform(operation, pageContext(runtime, session?.sessionKey ?? null), { ...inputOf(form), job_key });
      return thenShow(page);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return thenShow(`${page}?problem=${error.code}`);
    }
  };
}

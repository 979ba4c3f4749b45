import { perform } from '@/server/door/perform.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import type { OperationName } from '@/server/operations.ts';
import type { ProblemCode } from '@/server/problems/catalogue.ts';
import { Problem } from '@/server/problems/problem.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { memberContext } from './member.ts';

/** The page to show after a form, with a notice to show once. */
type Next = string | { page: string; notice: string };

interface Form {
  /** An operation to try before, whose refusal does not matter: `operation` meets it, too. */
  first?: OperationName;
  operation: OperationName;
  /** The operation's input from the form's fields. */
  input: (fields: URLSearchParams, params: Record<string, string>) => unknown;
  /** `refused` is the reason, null on success. */
  next: (fields: URLSearchParams, refused: ProblemCode | null, params: Record<string, string>) => Next;
}

/** The route of a form on our pages: runs the operation for the signed-in visitor, then shows a page. */
export function submit({ first, operation, input, next }: Form) {
  return async (request: Request, route: { params: Promise<Record<string, string>> }): Promise<Response> => {
    const fields = await ownForm((await webRuntime()).configuration, request);
    if (fields === null) return foreignForm();
    // A path without parameters comes without any, whatever the types say.
    const params = (await route.params) ?? {};
    const inAddress = Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)]),
    );
    const { ctx } = await memberContext();
    try {
      if (first) await perform(first, ctx, input(fields, params)).catch(unlessProblem);
      await perform(operation, ctx, input(fields, params));
      return showing(next(fields, null, inAddress));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return showing(next(fields, error.code, inAddress));
    }
  };
}

function unlessProblem(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

function showing(next: Next): Response {
  return typeof next === 'string' ? thenShow(next) : thenShow(next.page, setNotice(next.page, next.notice));
}

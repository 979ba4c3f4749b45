import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { cache } from 'react';
import type { z } from 'zod';
import { perform } from '@/server/door/perform.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import type { ConsoleOperation } from '@/server/operation/operator-roles.ts';
import type { allOperations } from '@/server/operations.ts';
import { Problem } from '@/server/problems/problem.ts';
import type { Context } from '@/server/runtime.ts';
import { pageContext } from '@/server/transports/context.ts';
import { memberSessionOf } from '@/server/transports/member-session.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { callerHeader } from '@/server/transports/peer.ts';
import { Missing } from '../show.tsx';

type Output<Name extends ConsoleOperation> = z.output<(typeof allOperations)[Name]['output']>;
export type Me = Output<'console_me'>;

/** The visitor of a console page. `me` is null without a role: then the console does not exist. */
export const operatorContext = cache(async (): Promise<{ ctx: Context; me: Me | null }> => {
  const runtime = await webRuntime();
  const session = await memberSessionOf(runtime.configuration, await cookies());
  const ctx = pageContext(runtime, session?.sessionKey ?? null, (await headers()).get(callerHeader));
  try {
    return { ctx, me: (await perform('console_me', ctx, {})).body };
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return { ctx, me: null };
    throw error;
  }
});

/** What an operator may see. Anything missing or forbidden shows "Nothing here". */
export async function readForOperator<Name extends ConsoleOperation>(
  name: Name,
  input: unknown,
): Promise<Output<Name>> {
  const { ctx } = await operatorContext();
  try {
    return (await perform(name, ctx, input)).body as Output<Name>;
  } catch (error) {
    const isHidden = error instanceof Problem && (error.code === 'not_found' || error.code === 'validation_failed');
    throw isHidden ? new Missing() : error;
  }
}

/** The visitor's role; visitors without one never get here. */
export async function roleNow(): Promise<Me['role']> {
  const { me } = await operatorContext();
  if (!me) throw new Missing();
  return me.role;
}

/** A page's title, hidden from visitors without a role. */
export function titled(title: string): () => Promise<Metadata> {
  return async () => ((await operatorContext()).me ? { title } : {});
}

interface Form {
  operation: ConsoleOperation;
  input: (fields: URLSearchParams, params: Record<string, string>) => unknown;
  /** The page to show afterwards, with a notice to show once: `done`, or why nothing was done. */
  next: (params: Record<string, string>, fields: URLSearchParams) => string;
}

/** The route of a console form. */
export function submit({ operation, input, next }: Form) {
  return async (request: Request, route: { params: Promise<Record<string, string>> }): Promise<Response> => {
    const { ctx, me } = await operatorContext();
    if (!me) return nothing();
    const fields = await ownForm(ctx.runtime.configuration, request);
    if (fields === null) return foreignForm();
    const params = (await route.params) ?? {};
    const page = next(params, fields);
    try {
      await perform(operation, ctx, input(fields, params));
      return thenShow(page, setNotice(page, 'done'));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return thenShow(page, setNotice(page, error.code));
    }
  };
}

/** The answer to visitors without a role. */
export function nothing(): Response {
  return new Response('Nothing here.\n', {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

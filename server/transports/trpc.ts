import { initTRPC, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { z } from 'zod';
import { perform } from '../door/perform.ts';
import { webRuntime } from '../open-runtime.ts';
import { allOperations } from '../operations.ts';
import { PaymentRequired, Problem, problemText } from '../problems/problem.ts';
import type { Context, Runtime } from '../runtime.ts';
import { contextOf, idempotencyKeyOf, refuseTokenInUrl } from './context.ts';
import type { Asked } from './exchange.ts';
import { presentedByPage } from './member-session.ts';
import { noteCaller } from './peer.ts';

/**
 * Every operation as a procedure of the same name, members' and operators' alike, derived from the list and run by
 * `perform`. Takes a member's session from our own pages, or a credential, as REST does.
 */

type All = typeof allOperations;
type Procedure<Op extends All[keyof All]> = Op['effect'] extends 'read'
  ? TRPCQueryProcedure<{ input: z.input<Op['input']>; output: z.output<Op['output']>; meta: unknown }>
  : TRPCMutationProcedure<{ input: z.input<Op['input']>; output: z.output<Op['output']>; meta: unknown }>;

const t = initTRPC.context<Context>().create({
  errorFormatter: ({ shape, error, ctx }) => ({
    ...shape,
    data: {
      code: shape.data.code,
      httpStatus: error.cause instanceof Problem ? error.cause.status : shape.data.httpStatus,
      path: shape.data.path,
      problem: error.cause instanceof Problem && ctx ? JSON.parse(problemText(error.cause, ctx)) : null,
    },
  }),
});

function procedureOf(name: keyof All) {
  const run = async (ctx: Context, input: unknown) => {
    const fields = (input ?? {}) as Record<string, unknown>;
    try {
      // A member's key comes in the input, as in REST's body.
      const { idempotency_key: _, ...rest } = fields;
      const key = idempotencyKeyOf(ctx.idempotencyKey, fields);
      return (await perform(name, { ...ctx, idempotencyKey: key }, rest)).body;
    } catch (error) {
      throw asTrpcError(error);
    }
  };
  // The operation's own schema validates it behind the door.
  const procedure = t.procedure.input((input: unknown) => input);
  return allOperations[name].effect === 'read'
    ? procedure.query(({ ctx, input }) => run(ctx, input))
    : procedure.mutation(({ ctx, input }) => run(ctx, input));
}

const codes: Readonly<Record<number, TRPCError['code']>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

function asTrpcError(error: unknown): TRPCError {
  if (error instanceof PaymentRequired) return new TRPCError({ code: 'PAYMENT_REQUIRED', message: error.message });
  if (!(error instanceof Problem)) return new TRPCError({ code: 'INTERNAL_SERVER_ERROR' });
  return new TRPCError({ code: codes[error.status] ?? 'BAD_REQUEST', message: error.message, cause: error });
}

const names = Object.keys(allOperations) as (keyof All)[];
const procedures = Object.fromEntries(names.map((name) => [name, procedureOf(name)]));

/** The one router. */
const router = t.router(procedures as unknown as { [Name in keyof All]: Procedure<All[Name]> });

/** Answers a request below `/api/trpc`. */
export async function answerTrpc(request: Request, runtime?: Runtime): Promise<Response> {
  if (runtime === undefined) noteCaller(request);
  const opened = runtime ?? (await webRuntime());
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router,
    allowBatching: false,
    async createContext() {
      const ctx = contextOf(opened, request as unknown as Asked);
      refuseTokenInUrl(new URL(request.url));
      if (ctx.presented.bearer !== null) return ctx;
      return { ...ctx, presented: await presentedByPage(opened.configuration, request as unknown as Asked) };
    },
    responseMeta: () => ({ headers: { 'cache-control': 'private, no-store' } }),
  });
}

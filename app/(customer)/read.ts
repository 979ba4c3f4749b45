import { headers } from 'next/headers';
import type { z } from 'zod';
import { perform } from '@/server/door/perform.ts';
import type { OperationName, operations } from '@/server/operations.ts';
import { Problem } from '@/server/problems/problem.ts';
import type { Context } from '@/server/runtime.ts';
import { readFor, requestIdHeader } from '@/server/transports/page-status.ts';
import { Missing } from '../show.tsx';

/**
 * What the signed-in member may see; null when nobody is signed in. A missing record, another account's, or an invalid
 * key shows "Nothing here".
 */
export async function readForMember<Name extends OperationName>(
  name: Name,
  ctx: Context,
  input: unknown,
): Promise<z.output<(typeof operations)[Name]['output']> | null> {
  try {
    return (await (await countedReads())(name, ctx, input)).body;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'invalid_token') return null;
    if (error.code === 'not_found' || error.code === 'validation_failed') throw new Missing();
    throw error;
  }
}

/**
 * Performs operations for this request's page or file, whose caller pays for what it reads. Asked before a file is sent:
 * what sends it does not know the request.
 */
export async function countedReads(): Promise<typeof perform> {
  const requestId = (await headers()).get(requestIdHeader) ?? '';
  return (name, ctx, input) => readFor(requestId, () => perform(name, ctx, input));
}

import { cache } from 'react';
import { webRuntime } from '@/server/open-runtime.ts';
import type { Context } from '@/server/runtime.ts';
import { pageContext } from '@/server/transports/context.ts';

/** Who is looking at the page: one answer for the whole of it. */
export const memberContext = cache(async (): Promise<{ ctx: Context; email: string | null }> => {
  const runtime = await webRuntime();
  return { ctx: pageContext(runtime, null), email: null };
});

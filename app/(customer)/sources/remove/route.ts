import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { memberContext } from '../../member.ts';

/** Removes the document and shows the remaining list. */
export async function POST(request: Request): Promise<Response> {
  const { ctx } = await memberContext();
  const form = await ownForm(ctx.runtime.configuration, request);
  if (form === null) return foreignForm();
  try {
    await perform('remove_source', ctx, { source_key: form.get('source_key') });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  return thenShow('/sources');
}

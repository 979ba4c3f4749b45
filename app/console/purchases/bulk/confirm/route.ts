import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { nothing, operatorContext } from '../../../operator.ts';
import { chosenIn } from '../keys.ts';

const list = '/console/purchases';

/** Carries out the preview. The list then says how many were skipped. */
export async function POST(request: Request): Promise<Response> {
  const { ctx, me } = await operatorContext();
  if (!me) return nothing();
  const fields = await ownForm(ctx.runtime.configuration, request);
  if (fields === null) return foreignForm();
  const chosen = chosenIn(fields);
  if (!chosen) return thenShow(list);
  const { action, keys, back } = chosen;
  const page = list + back;
  try {
    const input = { action, keys, reason: fields.get('reason') ?? '' };
    const { refused } = (await perform('act_on_purchases', ctx, input)).body;
    return thenShow(page, setNotice(page, refused.length === 0 ? 'done' : `left_out_${refused.length}`));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return thenShow(page, setNotice(page, error.code));
  }
}

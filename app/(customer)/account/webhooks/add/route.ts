import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { memberContext } from '../../../member.ts';

const page = '/account/webhooks';

/** Adds the form's address. The next page shows the secret, once. */
export async function POST(request: Request): Promise<Response> {
  const { ctx } = await memberContext();
  const fields = await ownForm(ctx.runtime.configuration, request);
  if (fields === null) return foreignForm();
  try {
    const { body } = await perform('add_webhook_endpoint', ctx, { url: fields.get('url')?.trim() ?? '' });
    return thenShow(page, setNotice(page, 'added', body.secret, ctx.runtime.configuration.baseUrl));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return thenShow(page, setNotice(page, error.code));
  }
}

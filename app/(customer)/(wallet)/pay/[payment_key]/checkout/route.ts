import { perform } from '@/server/door/perform.ts';
import { webRuntime } from '@/server/open-runtime.ts';
import { Problem } from '@/server/problems/problem.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { memberContext } from '../../../../member.ts';

/** On the payer's click: opens the provider's page and redirects there. Problems are shown on our own page. */
export async function POST(request: Request, route: { params: Promise<{ payment_key: string }> }): Promise<Response> {
  if ((await ownForm((await webRuntime()).configuration, request)) === null) return foreignForm();
  const { payment_key } = await route.params;
  const { ctx } = await memberContext();
  try {
    const { body } = await perform('start_checkout', ctx, { payment_key });
    return thenShow(body.url);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const page = `/pay/${encodeURIComponent(payment_key)}`;
    return thenShow(page, setNotice(page, error.code));
  }
}

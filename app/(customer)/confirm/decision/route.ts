import { webRuntime } from '@/server/open-runtime.ts';
import { Problem } from '@/server/problems/problem.ts';
import { confirmHere } from '@/server/transports/confirm-here.ts';
import { browserOf } from '@/server/transports/member-session.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, ownForm, thenShow } from '@/server/transports/own-form.ts';
import { grantOf, typedQuery } from '../../grant-form.ts';
import { memberContext } from '../../member.ts';

/** Decides, and shows the link's page, which says the result, whichever request decided. */
export async function POST(request: Request): Promise<Response> {
  const fields = await ownForm((await webRuntime()).configuration, request);
  if (fields === null) return foreignForm();
  const { ctx } = await memberContext();
  const page = `/confirm?${new URLSearchParams({ link: fields.get('link') ?? '' })}`;
  try {
    const cookies = await confirmHere(ctx, decisionOf(fields), browserOf(ctx.runtime.configuration, request));
    return thenShow(page, ...(cookies ?? []));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return thenShow(`${page}&${typedQuery(fields)}`, setNotice(page, error.code));
  }
}

function decisionOf(fields: URLSearchParams): unknown {
  return {
    link: fields.get('link') ?? '',
    decision: fields.get('decision') ?? '',
    // A form without limits, as of a program or the code's way, confirms what was asked.
    ...(fields.get('decision') === 'confirm' && fields.has('per_check') ? { grant: grantOf(fields) } : {}),
  };
}

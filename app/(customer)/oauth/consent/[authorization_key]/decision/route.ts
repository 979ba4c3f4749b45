import { foreignForm } from '@/server/transports/own-form.ts';
import { grantOf, typedQuery } from '../../../../grant-form.ts';
import { submit } from '../../../../submit.ts';
import { isOfThisBrowser } from '../../../this-browser.ts';

/** Problems that a person can fix in the form; after any other the request itself is gone. */
const mendable = ['validation_failed', 'fresh_sign_in_required'];

const decide = submit({
  operation: 'decide_authorization',
  input: (fields, { authorization_key }) => ({
    authorization_key,
    decision: fields.get('decision') ?? '',
    ...(fields.get('decision') === 'approve' ? { grant: grantOf(fields) } : {}),
  }),
  next(fields, refused, { authorization_key }) {
    const page = `/oauth/consent/${authorization_key}`;
    if (refused === null) return { page, notice: fields.get('decision') ?? '' };
    const query = mendable.includes(refused) ? `?${typedQuery(fields)}` : '';
    return { page: `${page}${query}`, notice: refused };
  },
});

export async function POST(
  request: Request,
  route: { params: Promise<{ authorization_key: string }> },
): Promise<Response> {
  const { authorization_key } = await route.params;
  return (await isOfThisBrowser(authorization_key)) ? decide(request, route) : foreignForm();
}

import { type ActionName, actionNames } from '@/server/console/contract/purchases.ts';
import { nothing, submit } from '../../../../../operator.ts';

type Route = { params: Promise<Record<string, string>> };

const forms = Object.fromEntries(
  actionNames.map((operation) => [
    operation,
    submit({
      operation,
      input: (fields, { key }) => ({ key, reason: fields.get('reason') ?? '' }),
      next: ({ key }) =>
        `/console/purchases/${encodeURIComponent(key ?? '')}${operation === 'open_content' ? '/content' : ''}`,
    }),
  ]),
) as Record<ActionName, ReturnType<typeof submit>>;

export async function POST(request: Request, route: Route): Promise<Response> {
  const { action = '' } = await route.params;
  const form = Object.hasOwn(forms, action) ? forms[action as ActionName] : undefined;
  return form ? form(request, route) : nothing();
}

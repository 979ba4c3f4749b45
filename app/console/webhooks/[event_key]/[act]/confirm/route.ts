import { nothing, submit } from '../../../../operator.ts';

const form = (operation: 'hear_again' | 'open_webhook') =>
  submit({
    operation,
    input: (fields, { event_key }) => ({ event_key, reason: fields.get('reason') ?? '' }),
    next: ({ event_key }) => `/console/webhooks/${event_key}`,
  });
const acts = { again: form('hear_again'), open: form('open_webhook') };

export async function POST(request: Request, route: Parameters<typeof acts.open>[1]): Promise<Response> {
  const { act = '' } = await route.params;
  return Object.hasOwn(acts, act) ? acts[act as keyof typeof acts](request, route) : nothing();
}

import { nothing, submit } from '../../../../operator.ts';

const back = (fields: URLSearchParams): string => {
  const page = fields.get('back') ?? '';
  return /^\/console\/customers\/\w{1,64}$/.test(page) ? page : '/console/customers';
};

const revoke = submit({
  operation: 'revoke_customer_agent',
  input: (fields, { agent_key }) => ({ agent_key, reason: fields.get('reason') ?? '' }),
  next: (_, fields) => back(fields),
});
const pause = submit({
  operation: 'pause_customer_agent',
  input: (fields, { agent_key, act }) => ({
    agent_key,
    paused: act === 'pause' ? 'yes' : 'no',
    reason: fields.get('reason') ?? '',
  }),
  next: (_, fields) => back(fields),
});

type Route = Parameters<typeof pause>[1];

export async function POST(request: Request, route: Route): Promise<Response> {
  const { act } = await route.params;
  if (act === 'revoke') return revoke(request, route);
  return act === 'pause' || act === 'resume' ? pause(request, route) : nothing();
}

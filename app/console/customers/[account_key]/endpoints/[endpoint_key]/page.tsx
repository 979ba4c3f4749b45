import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { lasting } from '@/server/service/terms.ts';
import { Missing, show } from '../../../../../show.tsx';
import { readForOperator, roleNow, titled } from '../../../../operator.ts';

export const generateMetadata = titled('Send again');

type Params = Promise<{ account_key: string; endpoint_key: string }>;

/** Asks before a customer's endpoint is told of events once more. */
export default show(async ({ params }: { params: Params }) => {
  const { account_key, endpoint_key } = await params;
  const { endpoints } = await readForOperator('console_customers', { account_key });
  const endpoint = endpoints.find((one) => one.endpoint_key === endpoint_key);
  if (!endpoint || endpoint.removed_at || !may(await roleNow(), 'send_events_again')) throw new Missing();
  const back = `/console/customers/${account_key}`;
  return (
    <ConfirmAct
      title="Send events again?"
      button="Send again"
      action={`${back}/endpoints/${endpoint_key}/confirm`}
      back={back}
      field={{
        name: 'after',
        label: 'After',
        hint: `The webhook-id of the last event that arrived. Empty: all of the last ${lasting('events')}.`,
        maxLength: 80,
        isOptional: true,
      }}
    >
      <p className="wrap-anywhere">
        {endpoint.host} is told again, in order and at once. Each event keeps its webhook-id, so a receiver that has it
        can drop it.
      </p>
    </ConfirmAct>
  );
});

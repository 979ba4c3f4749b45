import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../../../show.tsx';
import { readForOperator, roleNow, titled } from '../../../../operator.ts';

export const generateMetadata = titled('Send again');

type Params = Promise<{ account_key: string; letter_key: string }>;

/** Asks before a letter goes to its reader once more. */
export default show(async ({ params }: { params: Params }) => {
  const { account_key, letter_key } = await params;
  const { letters } = await readForOperator('console_customers', { account_key });
  const letter = letters.find((one) => one.letter_key === letter_key);
  if (!letter?.repeatable || !letter.sent_at || !may(await roleNow(), 'send_letter_again')) throw new Missing();
  const back = `/console/customers/${account_key}`;
  return (
    <ConfirmAct
      title="Send this letter again?"
      button="Send it"
      action={`${back}/letters/${letter_key}/confirm`}
      back={back}
    >
      <p className="wrap-anywhere">
        {letter.what}, to {letter.address}. It says how things stand now, and goes to this address alone.
      </p>
    </ConfirmAct>
  );
});

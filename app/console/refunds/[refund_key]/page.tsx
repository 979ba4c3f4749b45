import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { NeedsSignIn } from '@/components/console/NeedsSignIn.tsx';
import { amountText } from '@/components/purchases/Price.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../../operator.ts';

export const generateMetadata = titled('Close a refund');

interface Props {
  params: Promise<{ refund_key: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

const reference = {
  name: 'reference',
  label: 'Reference of the transfer',
  hint: 'What the bank or the chain calls it. The buyer’s receipt names it.',
  maxLength: 120,
};

/** Asks before closing a failed refund with what was done about it. */
export default show(async ({ params, searchParams }: Props) => {
  const { refund_key } = await params;
  const isCredit = (await searchParams).as === 'wallet_credit';
  const { refunds } = await readForOperator('console_money', {});
  const row = refunds.rows.find((each) => each.refund_key === refund_key);
  if (row?.waits_for !== 'person' || !may(await roleNow(), 'settle_refund')) throw new Missing();
  const { me } = await operatorContext();
  if (!me?.may_move_money) return <NeedsSignIn next="/console/money" />;
  const amount = `${amountText(row.amount_microcents)} USD`;
  return (
    <ConfirmAct
      title={isCredit ? 'Keep this refund as credit?' : 'Was this refund sent by hand?'}
      button={isCredit ? `Credit ${amount}` : `Record ${amount} as sent`}
      action={`/console/refunds/${row.refund_key}/confirm`}
      back="/console/money"
      danger
      hidden={{ as: isCredit ? 'wallet_credit' : 'sent_by_hand' }}
      {...(isCredit ? {} : { field: reference })}
    >
      <p>
        {isCredit
          ? `${amount} becomes credit of the agent that bought, which can pay for another check with it. Do this only where the customer agreed.`
          : `This sends nothing: it records that ${amount} has left by your hand, and closes the refund.`}{' '}
        The customer is told. It cannot be undone.
      </p>
      <p className="wrap-anywhere">
        Owed to <Key>{row.payer}</Key>
      </p>
    </ConfirmAct>
  );
});

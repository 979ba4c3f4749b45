import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { NeedsSignIn } from '@/components/console/NeedsSignIn.tsx';
import { amountText } from '@/components/purchases/Price.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../../operator.ts';

export const generateMetadata = titled('Give back');

/** Asks before returning a transfer to its sender. */
export default show(
  async ({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) => {
    const { network, transaction, position } = await searchParams;
    const { arrivals } = await readForOperator('console_money', {});
    const row = arrivals.rows.find(
      (each) => each.network === network && each.transaction === transaction && String(each.position) === position,
    );
    if (!row || !may(await roleNow(), 'give_back')) throw new Missing();
    const { me } = await operatorContext();
    if (!me?.may_move_money) return <NeedsSignIn next="/console/money" />;
    const amount = `${amountText(row.amount_microcents)} USD`;
    return (
      <ConfirmAct
        title="Give this transfer back?"
        button={`Give back ${amount}`}
        action="/console/money/give-back/confirm"
        back="/console/money"
        danger
        hidden={{ network: row.network, transaction: row.transaction, position: String(row.position) }}
      >
        <p>
          {amount} goes back to who sent it, and to nobody else, as soon as the worker comes to it. From then on it can
          pay for nothing.
        </p>
        <p className="wrap-anywhere">
          To <Key>{row.other}</Key> on {row.network}
        </p>
      </ConfirmAct>
    );
  },
);

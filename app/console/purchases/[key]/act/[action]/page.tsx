import { actWords, confirmWords } from '@/components/console/act-words.ts';
import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { NeedsSignIn } from '@/components/console/NeedsSignIn.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { type ActionName, actionNames } from '@/server/console/contract/purchases.ts';
import { needsFreshSignIn } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../../../show.tsx';
import { operatorContext, readForOperator, titled } from '../../../../operator.ts';

export const generateMetadata = titled('Confirm');

/** Asks for the reason, and names the action and its amount. */
export default show(async ({ params }: { params: Promise<{ key: string; action: string }> }) => {
  const { key, action } = await params;
  const name = actionNames.find((each): each is ActionName => each === action);
  const purchase = await readForOperator('console_purchase', { key });
  if (!name || purchase.actions.every((each) => each.name !== name || each.obstacle !== null)) throw new Missing();
  const page = `/console/purchases/${key}`;
  const { me } = await operatorContext();
  if (needsFreshSignIn(name) && !me?.may_move_money) return <NeedsSignIn next={page} />;
  const words = actWords[name];
  return (
    <ConfirmAct
      title={words.title}
      button={confirmWords(name, purchase.amount_microcents)}
      action={`${page}/act/${name}/confirm`}
      back={page}
      danger={words.danger ?? false}
    >
      <p>{words.text}</p>
      <p className="flex flex-wrap gap-x-3 wrap-anywhere">
        <Key>{purchase.job_key ?? purchase.quote_key}</Key>
        <Price microcents={purchase.amount_microcents} />
        <State kind="payment" value={purchase.payment_state} />
      </p>
    </ConfirmAct>
  );
});

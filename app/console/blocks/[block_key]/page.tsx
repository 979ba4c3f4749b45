import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../show.tsx';
import { readForOperator, roleNow, titled } from '../../operator.ts';

export const generateMetadata = titled('Lift a block');

/** Asks before lifting a block. */
export default show(async ({ params }: { params: Promise<{ block_key: string }> }) => {
  const { block_key } = await params;
  const { blocks } = await readForOperator('console_money', {});
  const block = blocks.rows.find((each) => each.block_key === block_key);
  const { open } = await readForOperator('console_disputes', {});
  const dispute = open.rows.find((each) => each.block_key === block_key);
  if (!block || !may(await roleNow(), 'lift_block')) throw new Missing();
  return (
    <ConfirmAct
      title="Lift this block?"
      button="Lift the block"
      action={`/console/blocks/${block.block_key}/confirm`}
      back="/console/money"
    >
      <p className="wrap-anywhere">
        <Key>{block.account_key ?? block.payer ?? ''}</Key> can buy again. The cause was:{' '}
        {block.cause.replaceAll('_', ' ')}.
      </p>
      {dispute ? (
        <p className="mt-3 wrap-anywhere">
          Its{' '}
          <a className="link" href={`/console/disputes/${dispute.dispute_key}`}>
            dispute at the bank
          </a>{' '}
          is still open: the money may go, and what the account buys until then may be disputed, too. The block goes by
          itself when the dispute is won.
        </p>
      ) : null}
    </ConfirmAct>
  );
});
